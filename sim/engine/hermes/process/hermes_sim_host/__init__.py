"""The host process: drives a real Hermes compressor under its own interpreter (standard library only).

`serve.main()` is run as `python -P -c "…"` with this package's folder appended to `sys.path`, so that nothing here can
shadow Hermes's own top-level names. The client imports `frames`, `rules` and `books` too, so both sides count alike.
"""
