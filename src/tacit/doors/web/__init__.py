"""The dashboard: pages for a browser on this machine."""
