"""Lessons: candidates, trials, promotion on outside evidence, demotion."""
