"""Ranking structures: keywords (FTS5), vectors (WBVE5Q8), fusion and diversity.

They rank rows and know nothing of packs, models or files beyond the connection or path they get.
"""
