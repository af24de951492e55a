"""Sessions to simulate: drawn from a preset, drawn along a curve, or imported from real transcripts.

Offers:
    Preset, load_preset       a kind of session as settings; ours by name or a person's own YAML file
    preset_names              the presets that come with hermes-sim
    draw                      one synthetic session of a preset
    fit_preset                a preset fitted to recorded sessions, with distances
    require_room              refuses a preset whose first request does not fit a window
    draw_curve                token-only growth, exact to the token
    summary_text              a plausible summary of a wanted size (for the auxiliary model)
    Script, Turn, Reply, ToolRun   what all of them return (`sim.workload.script`)
"""

from sim.workload.curve import draw_curve
from sim.workload.draw import draw
from sim.workload.fitting import fit_preset
from sim.workload.load import load_preset, preset_names
from sim.workload.preset import Preset
from sim.workload.room import require_room
from sim.workload.script import Reply, Script, ToolRun, Turn
from sim.workload.synthetic import summary_text

__all__ = [
    "Preset",
    "Reply",
    "Script",
    "ToolRun",
    "Turn",
    "draw",
    "draw_curve",
    "fit_preset",
    "load_preset",
    "preset_names",
    "require_room",
    "summary_text",
]
