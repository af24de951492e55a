"""Text that real tools return, people write and models think, of any size, from a seed; one module a kind.

Offers:
    Maker                     makes a draft: `(random numbers, characters, project) → Draft`
    Draft                     a text as head, lines and foot, so that it can be cut to size and still look whole
    Project                   what a session is about: its files, packages, hosts and names
    RESULTS, ARGUMENTS, argument_maker   makers of tool results and of tool arguments, by name
    content_kind, argument_kind   class of each kind of text
    say, think, ask           text of the model and of the person
"""

from sim.workload.synthetic.text.catalogue import (
    ARGUMENTS,
    RESULTS,
    Maker,
    argument_kind,
    argument_maker,
    ask,
    content_kind,
    say,
    think,
)
from sim.workload.synthetic.text.draft import Draft
from sim.workload.synthetic.text.project import Project

__all__ = [
    "ARGUMENTS",
    "RESULTS",
    "Draft",
    "Maker",
    "Project",
    "argument_kind",
    "argument_maker",
    "ask",
    "content_kind",
    "say",
    "think",
]
