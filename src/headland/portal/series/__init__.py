"""What was measured on a field over time: where it is read, and the charts that are made of it."""

from headland.portal.series.charts import Chart, Reading, charts_of
from headland.portal.series.sources import SOURCES, Ground, Series, read_series

__all__ = ["SOURCES", "Chart", "Ground", "Reading", "Series", "charts_of", "read_series"]
