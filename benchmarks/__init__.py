"""Measurements, each beside a yardstick that is measured in the same run. `python -m benchmarks`."""
