"""Long-running work: what a request starts and does not wait for, kept as jobs as long as there is the instance."""
