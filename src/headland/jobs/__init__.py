"""The job service: Spark batches over Livy's protocol, each under a runner that outlives the service."""
