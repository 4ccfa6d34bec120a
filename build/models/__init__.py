"""The models that come with Cairn, converted from weights that ordinary packages carry.

`recipes` says what is made from what, `convert` makes it once per machine; the rest are the
converters. Why these files and dtypes: each module says the constraint it works around.
"""
