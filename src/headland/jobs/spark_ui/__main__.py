"""`python -m headland.jobs.spark_ui <folder>`."""

from headland.jobs.spark_ui.keeper import main

main()
