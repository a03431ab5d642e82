"""The paper, reproduced: every figure and every claim, on the real data.

*Towards Deterministic Diverse Subset Sampling* (Schreurs, Fanuel and Suykens). One module, one
question:

    data, download   where are the numbers, and are they the right ones?
    pictures         the photos and the silhouettes
    protocol         what is run: grids, kernels, repetitions
    pool             a data set with kernel and spectrum, computed once and shared
    contenders       who picks what, for every k
    measures         how good is a set of picks?
    clocks           how long does it take?
    curves           all of the above for one table
    plane, dogs, kimia   the illustration and the two sets of pictures
    claims           the paper says / we measured
    lines, plates, page  what one looks at
    run              everything in order, resumed where it was left
"""
