"""diverset beside what people use today: one table, measured side by side in one run.

    python -m benchmarks            the table; add --full for the case of 50,000 rows
    make bench ARGS="--markdown"    the same in an environment that has the peers

README.md in this folder says what each column means and how it is measured.
"""
