"""The web: the rules that Python runs, compiled to WebAssembly, and the site that runs them in browsers.

From the ground up:

    target      WebAssembly as a target of numba: the same compiler, another machine
    runtime     the memory of a module
    exports     how kernels are called from outside: the interface, which ``docs/web.md`` describes too
    linking     from kernels to a module
    seeding     from a seed to random bits, as NumPy does it
    games       a puzzle as a module
    players     agents that are kernels as modules
    searches    the searches of a puzzle as a module
    variants    what the site generates of a puzzle
    building    the modules of the site, and whether they are current
    models      trained models for the site
    recorded    episodes of the agents that do not run in a browser
    site/       the site: plain JavaScript, and the modules that ``make web`` builds
    bundling    one script of several, for pages that are a single file
    preloading  all scripts that a page imports
    assembly    the files of the site
    serving     a server of them for this computer
    film        episodes as a page that is a single file

Building needs the extra ``web``; using what is built needs nothing. Numba is imported when something is built.
"""
