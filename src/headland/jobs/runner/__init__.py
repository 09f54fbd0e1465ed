"""The runner: one process a job, standard library only, which starts the job's program, outlives the
service, and leaves in the run directory what the service needs to know.
"""
