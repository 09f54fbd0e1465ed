"""What clients of the hosted services name as `resource` or `scope`."""

#: The agriculture service's, in every program written for it.
FARM_RESOURCE = "https://farmbeats.azure.net"

#: The hosted job service's.
CLUSTER_ACCESS_RESOURCE = "https://hilo.azurehdinsight.net"

#: The resource manager's; older clients know it by the second name.
MANAGEMENT_RESOURCE = "https://management.azure.com"
CLASSIC_MANAGEMENT_RESOURCE = "https://management.core.windows.net"
