"""The command `diverset`, a module for each of its commands.

What several share: `options` and `values` (what can be typed), `specs` (names become objects), `task` (words
become a call), `work` (calls of the library), `rules` (who may be picked), `sheets` (a result as a table, as
CSV, as JSON), `output` (where it goes), `terminal` (words on stderr), `group` (how they all end).
"""

from __future__ import annotations
