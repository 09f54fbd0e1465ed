"""What the HTTP of every service shares. No service's rule or protocol is here."""
