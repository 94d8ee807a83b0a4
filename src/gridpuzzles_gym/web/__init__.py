"""The web: the rules and agents compiled to WebAssembly, and the site that runs them in browsers. Private.

Its modules, from the ground up:

    target      WebAssembly as a target of numba, and how kernels are called from JavaScript (``docs/web.md``)
    linking     links kernels and a runtime into a module
    games       a puzzle as a module: rules, pictures, seeds
    players     agents with kernels as modules
    searches    the searches of a puzzle as a module
    building    builds the modules of the site, and checks whether they are current
    site/       the site: plain JavaScript, and the modules that ``make web`` builds
    assembly    the files of the site
    serving     serves them on this computer

Only building needs the extra ``web``, and imports numba.
"""
