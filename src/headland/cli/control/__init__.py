"""What the commands of the control plane share: its API, subscriptions, and records as people read them."""
