"""The farm service: an instance's records, as Azure Data Manager for Agriculture serves them."""
