"""The cache-aware set against brute force over every subset."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from sim.engine.dual.orders import Candidate, cheapest_set, damage, in_order


@given(
    st.lists(st.tuples(st.integers(1, 60), st.booleans(), st.integers(0, 100)), min_size=1, max_size=8),
    st.integers(1, 250),
    st.integers(0, 5),
    st.integers(1, 20),
)
def test_no_subset_does_less_damage(rows, need, read, premium):
    sizes = [size for size, _, _ in rows]
    candidates = [
        Candidate(i, size, size * percent // 100)
        for i, (size, compressible, percent) in enumerate(rows)
        if compressible
    ]
    write = read + premium
    chosen = cheapest_set(sizes, candidates, need)

    def cost(subset):
        savings = [0] * len(sizes)
        for c in subset:
            savings[c.row] = c.saving
        return damage(min(c.row for c in subset), sizes, savings, read, write)

    by_row = {c.row: c for c in candidates}
    reaching = [
        subset
        for r in range(1, len(candidates) + 1)
        for subset in combinations(candidates, r)
        if sum(c.saving for c in subset) >= need
    ]
    if reaching:
        mine = [by_row[row] for row in chosen]
        assert sum(c.saving for c in mine) >= need
        assert cost(mine) == min(cost(subset) for subset in reaching)
    else:
        assert chosen == [c.row for c in candidates if c.saving > 0]


def test_only_the_first_rewritten_row_counts():
    sizes = [100, 10, 100, 10]
    # Row 0 alone saves enough, so does row 2 alone; the later cut leaves less behind it to send anew.
    candidates = [Candidate(0, 100, 90), Candidate(2, 100, 90)]
    assert cheapest_set(sizes, candidates, 80) == [2]
    assert damage(2, sizes, [0, 0, 90, 0], 1, 10) == 9 * 20
    assert damage(0, sizes, [90, 0, 0, 0], 1, 10) == 9 * 130


def test_orders():
    rows = [(3, 50), (5, 900), (7, 900), (9, 60)]
    assert in_order(rows, "largest-first") == [5, 7, 9, 3]
    assert in_order(rows, "oldest-first") == [3, 5, 7, 9]
    assert in_order(rows, "cache-aware") == [9, 7, 5, 3]
