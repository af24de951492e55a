"""Token counts by model family, offline.

Offers:
    ContentKind               classes of text that token multipliers differ by
    TokenModel                counts and classifies text for one model family
    token_model               the TokenModel of a model name
    encoding                  the tiktoken encoding `o200k_base` or `cl100k_base`, nothing downloaded
    VocabularyError           a vocabulary is not installed or damaged
"""

from sim.tokens.classify import ContentKind
from sim.tokens.model import TokenModel, token_model
from sim.tokens.vocabulary import VocabularyError, encoding

__all__ = ["ContentKind", "TokenModel", "VocabularyError", "encoding", "token_model"]
