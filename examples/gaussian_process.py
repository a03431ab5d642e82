"""Landmarks for Gaussian-process regression: 60 soundings that stand for 1,200.

A Gaussian process with n training points costs n^3. With k landmarks C it costs n k^2: the kernel K is
replaced by its Nystrom approximation K_C K_CC^+ K_C^T ("subset of regressors"), which is Bayesian linear
regression on the Nystrom features. All hangs on the landmarks: they should stand for every place where
there is data.

The data: the depth of a lake, sounded from a boat. Most soundings were made near the jetty, few far out.
"""

import numpy as np
from sklearn.linear_model import Ridge

import diverset as dv

NOISE = 0.05  # standard deviation of one sounding
DRAWS = 20  # sets of random landmarks to compare with


def depth(where):
    """What the boat would measure without noise."""
    x, y = where.T
    return np.sin(1.3 * x) * np.cos(0.9 * y) + 0.4 * np.sin(0.5 * x * y) + 0.3 * np.cos(3 * x)


# --- the soundings: three quarters near the jetty, the rest all over the lake -----------------

rng = np.random.default_rng(0)
near = rng.normal([-2.0, -2.0], 0.5, size=(900, 2))
far = rng.uniform(-3.0, 3.0, size=(300, 2))
X = np.concatenate([near, far])
y = depth(X) + NOISE * rng.normal(size=len(X))

everywhere = rng.uniform(-3.0, 3.0, size=(2_000, 2))  # where we want to know the depth
truth = depth(everywhere)

# --- a Gaussian process on landmarks ----------------------------------------------------------

kernel = dv.Gaussian(bandwidth=0.8)


def error(landmarks):
    """Root mean square error over the lake, of the posterior mean with these landmarks."""
    nystrom = dv.Nystrom(X, landmarks, kernel=kernel)
    process = Ridge(alpha=NOISE**2, fit_intercept=False).fit(nystrom.features(X), y)
    predicted = process.predict(nystrom.features(everywhere))
    return np.sqrt(np.mean((predicted - truth) ** 2))


print(f"{'landmarks':>9}  {'derandomized':>12}  {'random, mean':>12}  {'random, best':>12}  of {DRAWS}")
for k in (15, 30, 60):
    picks = dv.select(X, k, kernel=kernel, method="derandomized")
    random = [error(dv.sample(X, k, kernel=kernel, method="uniform", rng=seed)) for seed in range(DRAWS)]
    print(f"{k:>9}  {error(picks):>12.4f}  {np.mean(random):>12.4f}  {np.min(random):>12.4f}")

# --- where the landmarks are ------------------------------------------------------------------

picks = dv.select(X, 60, kernel=kernel, method="derandomized")
drawn = dv.sample(X, 60, kernel=kernel, method="uniform", rng=0)
jetty = len(near)
print(f"\nOf 60 landmarks near the jetty: derandomized {sum(i < jetty for i in picks)}, ", end="")
print(f"random {sum(i < jetty for i in drawn)}.")
