"""The whole loop once, with real parts, step by step: `python -m examples.demo`."""
