"""The browser's side of every port; the only package that imports ``js`` or ``pyodide``.

``workers/engine.mjs`` imports :mod:`cairn.browser.boot` and hands it a host object
(:class:`cairn.browser.host.Host`); nothing else here is called from JavaScript.
"""
