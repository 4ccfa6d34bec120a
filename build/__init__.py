"""From a checkout to `dist/site`: third-party files, models, the Python wheel, the snapshot, the site.

Runs on CPython from the checkout's root (`python -m build.site`); nothing here is shipped.
"""
