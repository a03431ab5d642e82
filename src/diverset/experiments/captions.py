"""WHAT TO SEE in each figure."""

from __future__ import annotations

SPAN = "Lines are means, shades the span from the least to the largest of the repetitions."

CAPTIONS = {
    "illustration": (
        "Three ways to pick 20 of 500 points, a dense bulk with sparse surroundings; Gaussian kernel, "
        "bandwidth 0.7. Uniform picks crowd in the bulk. The k-DPP spreads, with a near pair here and a gap "
        "there. The deterministic k-DPP spaces its picks evenly, bulk and surroundings alike."
    ),
    "stock": (
        "Stock (950 x 9): (a) log det of the picked kernel matrix, (b) operator norm and (c) max norm of the "
        f"Nyström error relative to K, (d) seconds. {SPAN} In (a) the deterministic k-DPP runs beside DAS, "
        "above "
        "the k-DPP; (d) charges k-DPP and DAS for the full eigendecomposition, DAS for all seven gammas."
    ),
    "spectra": (
        "The leading eigenvalues of the four kernel matrices, relative to the first, on one log scale. "
        "See how "
        "steep each is near the k of interest: Boston falls slowest of all."
    ),
    "log-det": (
        f"log det of the picked kernel matrix: higher is more diverse. {SPAN} The two deterministic curves "
        "lie "
        "together above the k-DPP, and uniform sampling falls away."
    ),
    "operator-norm": (
        f"Relative operator norm of the Nyström error: lower is better. {SPAN} Compare the filled circles "
        "with "
        "the open squares: they change places from table to table."
    ),
    "max-norm": (
        f"Relative max norm of the Nyström error: lower is better. {SPAN} Only the worst-represented item "
        "counts: one outlier that is missed keeps a curve near one."
    ),
    "time": (
        "Seconds from the kernel matrix to the picks, each method as if it were run alone; k-DPP and DAS are "
        "charged the full eigendecomposition, DAS for all seven gammas. Taken on whatever else the machine "
        "was doing: see the orders of magnitude."
    ),
    "ours-log-det": f"log det of the methods beside the paper's, with its two k-DPPs for comparison. {SPAN}",
    "ours-operator-norm": (
        f"Relative operator norm of the Nyström error, the methods beside the paper's. {SPAN} Derandomised "
        "k-DPP "
        "and greedy trace run along the bottom."
    ),
    "ours-max-norm": f"Relative max norm of the Nyström error, the methods beside the paper's. {SPAN}",
    "ours-trace-norm": (
        "Trace norm of the Nyström error over the best possible at rank k: one is perfect. The full line is "
        f"the bound of the derandomised k-DPP, k + 1. {SPAN} The lower dotted line is the best possible."
    ),
    "ours-time": "Seconds from the kernel matrix to the picks, the methods beside the paper's.",
    "dogs-picks": "The four photos, in the order picked, under the first reading.",
    "dogs-projection": (
        "The 150 photos on two kernel principal components of the histogram intersection kernel; circles and "
        "numbers mark the picks. The breeds overlap: diversity of visual words is not breed."
    ),
    "dogs-training": "The training data: 150 photos, 50 of each breed.",
    "kimia-picks": "The nine shapes, in the order picked, under the first reading.",
    "kimia-projection": (
        "The 99 silhouettes on two kernel principal components; circles and numbers mark the picks. One pick "
        "falls into each class, the scattered ones included."
    ),
    "kimia-training": "The training data: 99 silhouettes, eleven of each of the nine classes.",
}

# These show other people's pictures: they stay in the folder of the run.
PLATES = ("dogs-picks", "dogs-training", "kimia-picks", "kimia-training")
