"""Shared by the test runners: annotations, processes, compiled programs, TAP."""
