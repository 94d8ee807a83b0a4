"""The web: the rules and agents compiled to WebAssembly, and the site that runs them in browsers. Private.

Its modules, from the ground up:

    target      WebAssembly as a target of numba
    runtime     the memory of a module
    exports     how kernels are called from JavaScript; ``docs/web.md`` describes the interface too
    linking     links kernels into a module
    seeding     computes random bits from a seed as NumPy does
    games       a puzzle as a module
    players     agents with kernels as modules
    searches    the searches of a puzzle as a module
    variants    the variants of environments that the site generates instances of
    building    builds the modules of the site, and checks whether they are current
    site/       the site: plain JavaScript, and the modules that ``make web`` builds
    scripts     scripts without comments, and all that a page imports
    assembly    the files of the site
    serving     serves them on this computer

Only building needs the extra ``web``, and imports numba.
"""
