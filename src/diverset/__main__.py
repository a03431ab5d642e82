"""The shortest way to see it work: ten diverse digits out of 1,797, on data that scikit-learn brings."""

from __future__ import annotations

from time import perf_counter

from sklearn.datasets import load_digits

import diverset as dv


def main() -> None:
    """Pick ten digits and print them with what they are."""
    digits = load_digits()
    started = perf_counter()
    picks = dv.select(digits.data, 10)
    seconds = perf_counter() - started
    print(picks)
    print(f"\nTheir classes: {digits.target[picks].tolist()}, in {seconds:.2f} s.")
    print("\nThe ten images, in pick order:\n")
    images = picks.take(digits.images)
    for row in range(images.shape[1]):
        print("  ".join("".join(" .:*#@"[int(level) // 3] for level in image[row]) for image in images))


if __name__ == "__main__":
    main()
