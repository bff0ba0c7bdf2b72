"""Procedures: recorded steps that can be replayed under the guard, with their runs and health."""
