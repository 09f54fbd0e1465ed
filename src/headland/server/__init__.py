"""The processes: listeners, controller, and the one that starts and watches them."""
