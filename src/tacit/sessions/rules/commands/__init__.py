"""What the commands of a session did, as their lines and outputs tell it."""
