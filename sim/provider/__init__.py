"""What a request costs: prompt caches by family, dated price cards, and the profile that joins them for a model.

Offers:
    profile, Profile          a model as its provider serves it
    Mark, Served, PromptCache the cache seam
    TokenUse, Cost, PriceCard the price seam
    AuxiliaryBehaviour        how the summarising model behaves
"""

from sim.provider.auxiliary import AuxiliaryBehaviour
from sim.provider.profile import Profile, profile
from sim.provider.seam import Cost, Mark, PriceCard, PromptCache, Served, TokenUse

__all__ = ["AuxiliaryBehaviour", "Cost", "Mark", "PriceCard", "Profile", "PromptCache", "Served", "TokenUse", "profile"]
