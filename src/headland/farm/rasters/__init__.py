"""Rasters of a shapefile's columns: a program of its own, so that what others have sent can take neither the
service's memory nor its time.

Its input is read without GDAL, which then only writes.
"""
