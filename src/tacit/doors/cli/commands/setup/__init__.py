"""Commands that set tacit up: init, connect, disconnect."""
