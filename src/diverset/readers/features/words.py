"""TEXTS -> ROWS. By the words that they share, or by a small table of what words mean.

# word   a run of letters, digits or signs between blanks and punctuation; in scripts that are written
#        without blanks (Chinese, Japanese, Thai, ...) every two neighbours
# token  a piece of a word, as a language model cuts it
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...kernels import Cosine
from ...rounds.pool import Progress
from .base import Array, Extracted, TextFeatures, missing_extra

# Thai, Lao, Tibetan, Myanmar, Khmer, kana and Han: no blanks between words
_DENSE = "\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# blanks and punctuation. Not \W: to Python the vowel signs of Hindi and accents on their own are no letters
_BETWEEN = (
    r"\s\x00-\x2f:-@\[-`{-\xa9\xab-\xb4\xb6-\xb9\xbb-\xbf\u055a-\u055f\u05be\u05c0\u05c3\u05f3\u05f4"
    r"\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u2000-\u200b\u200e-\u206f\u3000-\u3003\u3008-\u301f"
    r"\u3030\u30fb\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufeff\ufffd"
)
_RUNS = re.compile(f"([{_DENSE}]+)|[^{_BETWEEN}{_DENSE}]+")
_BATCH = 512
_DECIMALS = 5


def words(text: str) -> list[str]:
    """The words of a text in any language, in small letters.

    >>> words("Größe 3, or so? हिन्दी 東京都")
    ['größe', '3', 'or', 'so', 'हिन्दी', '東京', '京都']
    """
    found: list[str] = []
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text).lower()):
        run = match.group()
        found += [run[i : i + 2] for i in range(max(len(run) - 1, 1))] if match.group(1) else [run]
    return found


class Tfidf(TextFeatures):
    """How often each word occurs, less for words that occur everywhere; compared by the cosine.

    1 + log(count) times log((1 + n) / (1 + texts with the word)) + 1, as in scikit-learn. Texts are alike if
    they share rare words. There is no list of stop words: it would be for one language.
    """

    name: ClassVar[str] = "tfidf"
    packages: ClassVar[tuple[str, ...]] = ("scikit-learn",)

    def rows(self, texts: Sequence[str], progress: Progress) -> Any:
        from scipy.sparse import csr_array
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(analyzer=words, sublinear_tf=True)
        try:
            return csr_array(vectorizer.fit_transform(_told(texts, progress)))
        except ValueError:  # its way to say that there is no word at all
            return csr_array((len(texts), 1))

    def extracted(self, rows: Any) -> Extracted:
        note = f"features: TF-IDF of {rows.shape[1]:,} words, Cosine kernel"
        return Extracted(rows, Cosine(), (note,))


def _told(texts: Sequence[str], progress: Progress) -> Iterator[str]:
    for i, text in enumerate(texts):
        if i % _BATCH == 0:
            progress("words", i, len(texts))
        yield text
    progress("words", len(texts), len(texts))


class WordLlama(TextFeatures):
    """The mean of what the tokens of a text mean, by WordLlama's table of 256 numbers per token; Cosine.

    Texts are alike if they speak of the same thing, in other words too (mostly English).
    """

    # DEPARTURE: the mean is taken here instead of by its `embed`, which pads 64 texts to the longest of
    # them: a single text of a megabyte would take 20 GB. The sums are in float64 and in a fixed order.

    name: ClassVar[str] = "wordllama"
    packages: ClassVar[tuple[str, ...]] = ("wordllama", "tokenizers")

    def rows(self, texts: Sequence[str], progress: Progress) -> Any:
        model = _model()
        out = np.zeros((len(texts), model.embedding.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            progress("meanings", start, len(texts))
            batch = [t.encode("utf-8", "replace").decode() for t in texts[start : start + _BATCH]]
            for i, found in enumerate(model.tokenizer.encode_batch(batch, add_special_tokens=False)):
                out[start + i] = _mean(model.embedding, np.asarray(found.ids, dtype=np.int64))
        progress("meanings", len(texts), len(texts))
        return out

    def extracted(self, rows: Any) -> Extracted:
        note = f"features: the meaning of words in {rows.shape[1]} numbers (WordLlama), Cosine kernel"
        return Extracted(rows, Cosine(), (note,))


def _mean(table: Array, tokens: Array) -> Array:
    """The mean row of these tokens; zeros if there are none."""
    if not len(tokens):
        return np.zeros(table.shape[1])
    found, counts = np.unique(np.minimum(tokens, len(table) - 1), return_counts=True)
    mean = (table[found].astype(np.float64) * counts[:, None]).sum(axis=0) / len(tokens)
    return np.asarray(np.round(mean, _DECIMALS))


@cache
def _model() -> Any:
    """The model from the weights in its wheel; nothing is downloaded."""
    try:
        with _logging_as_it_was():
            import wordllama
    except ImportError:
        raise missing_extra("The meaning of words needs WordLlama", "wordllama") from None
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    model.tokenizer.no_padding()
    return model


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """WordLlama sets up logging for the whole program when it is imported; that is not its business."""
    import logging

    before = logging.root.handlers[:], logging.root.level
    try:
        yield
    finally:
        logging.root.handlers[:], level = before
        logging.root.setLevel(level)
