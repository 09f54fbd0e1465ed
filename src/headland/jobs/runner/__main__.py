"""`python -m headland.jobs.runner <run directory>`."""

from headland.jobs.runner.runner import main

main()
