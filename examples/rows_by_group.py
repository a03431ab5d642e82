"""Diverse rows of a DataFrame, so many from each group.

Twelve wines for a tasting: four of each of the three growers, and together as different as twelve wines can
be. Random choice within each grower has the same quota, but says nothing of what differs.

The data: 178 wines from Piedmont, 13 measurements each, bundled with scikit-learn.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

import diverset as dv

EACH, DRAWS = 4, 200

wines = load_wine(as_frame=True).frame
growers = wines.pop("target").map({0: "Anna", 1: "Bruno", 2: "Carla"})
wines.index = [f"wine {number}" for number in range(1, len(wines) + 1)]
standard = (wines - wines.mean()) / wines.std()  # grams and hues have to be comparable

# --- pick -------------------------------------------------------------------------------------

kernel = dv.Gaussian(bandwidth=3.0)
picks = dv.select(standard, 3 * EACH, kernel=kernel, groups=growers, quota=EACH)

table = picks.take(wines)[["alcohol", "color_intensity", "hue", "proline"]]
table.insert(0, "grower", picks.take(growers).to_numpy())
print(pd.concat([table, pd.Series(picks.gains, table.index, name="gain").round(3)], axis=1).to_string())

# --- against chance, under the same quota -----------------------------------------------------

K = dv.kernel_matrix(standard, kernel)  # once, for all sets that are judged below
rng = np.random.default_rng(0)
rows_of = growers.reset_index(drop=True).groupby(growers.to_numpy()).groups.values()


def judged(rows):
    """How many wines these amount to (12 would have nothing in common), and how well they stand for all."""
    rows = np.asarray(rows)
    return dv.metrics.vendi_score(K.block(rows, rows)), dv.metrics.coverage(K, rows)


random = [judged(np.concatenate([rng.permutation(rows)[:EACH] for rows in rows_of])) for _ in range(DRAWS)]
vendi, coverage = np.mean(random, axis=0)
print(f"\n{'':>16}  {'wines of their own':>18}  {'coverage':>8}")
print(f"{'diverse':>16}  {judged(picks)[0]:>18.2f}  {judged(picks)[1]:>8.3f}")
print(f"{'random, mean':>16}  {vendi:>18.2f}  {coverage:>8.3f}")
print(f"{'random, best':>16}  {max(v for v, _ in random):>18.2f}  {max(c for _, c in random):>8.3f}")
