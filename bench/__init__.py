"""Benchmarks of meldcore: by position class, each asserting the answers it times."""
