"""The questions people ask, one module each; every answer is data, and nothing here prints.

Offers (import the module, so that a question loads only what it needs):
    explain                   what settings come to in the real engines, and what has no effect
    gates                     many combinations of settings, windows and engines at once
    diagnose                  findings in plain words: what fires first, never, twice
"""
