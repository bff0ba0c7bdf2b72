"""Commands about the home and its stores: backups, scopes, settings, uninstall."""
