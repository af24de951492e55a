"""Holds `hermes_sim_host`, the package that runs inside the engine's own interpreter; nothing else lives here."""
