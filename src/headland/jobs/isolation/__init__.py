"""Walls around jobs: what a job's processes see, write and reach. `launcher.py` puts them up; standard library only."""
