"""Typed events, and who listens to them: logs, metrics, tests."""
