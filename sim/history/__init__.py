"""What a model request is made of: rows, their running sums and prefix hashes, edits to them, tool-call pairing.

Offers:
    Row, Blank, Message       one row of a request; a row known by size only; OpenAI chat shape
    RowMaker                  message → Row, each unique text tokenised once
    Prompt                    a whole request in prefix order, as the cache sees it
    History                   the live rows of one session under one arm
    Splice                    one replaced stretch of rows
    unpaired_calls            tool calls and results that lost their partner
"""

from sim.history.history import Edit, History, Prompt, Splice
from sim.history.pairing import unpaired_calls
from sim.history.row import Blank, Message, Role, Row, RowMaker

__all__ = ["Blank", "Edit", "History", "Message", "Prompt", "Role", "Row", "RowMaker", "Splice", "unpaired_calls"]
