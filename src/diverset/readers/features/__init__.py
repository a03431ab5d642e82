"""WHICH FEATURES? Extractors by name; strings stop here."""

from __future__ import annotations

from .base import Extracted, PictureFeatures, TextFeatures
from .network import EfficientNet
from .plain import Color, Hog, Pixels
from .sift import Sift
from .words import Tfidf, WordLlama

PICTURES: dict[str, PictureFeatures] = {e.name: e for e in (Sift(), Pixels(), Hog(), Color(), EfficientNet())}
TEXTS: dict[str, TextFeatures] = {e.name: e for e in (Tfidf(), WordLlama())}

__all__ = ["PICTURES", "TEXTS", "Extracted", "PictureFeatures", "TextFeatures"]
