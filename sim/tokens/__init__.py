"""Token counts by model family, offline.

Offers:
    ContentKind               classes of text that token multipliers differ by
    TokenModel                counts and classifies text for one model family
    token_model               the TokenModel of a model name
"""

from sim.tokens.model import ContentKind, TokenModel, token_model

__all__ = ["ContentKind", "TokenModel", "token_model"]
