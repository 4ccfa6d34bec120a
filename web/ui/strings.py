"""The words of the page, by key, from ``/locales/<language>.json``."""

import json

from pyscript import fetch, window

_words = {}


async def load(language):
    """Load a language's catalogue, laid over the English one."""
    for code in ("en", language) if language != "en" else ("en",):
        _words.update(json.loads(await fetch("/locales/" + code + ".json").text()))


def t(key, **values):
    """The sentence for a key with ``{name}`` filled in; a missing key shows itself."""
    text = _words.get(key, key)
    for name, value in values.items():
        text = text.replace("{" + name + "}", str(value))
    return text


def plural(key, count):
    """``key.one`` or ``key.other`` by the rules of the page's language."""
    rules = window.Intl.PluralRules.new(window.document.documentElement.lang)
    form = rules.select(count)
    name = key + "." + form
    return t(name if name in _words else key + ".other", count=number(count))


def number(value, digits=0):
    """A number as the page's language writes it."""
    options = window.JSON.parse(json.dumps({"maximumFractionDigits": digits}))
    return window.Intl.NumberFormat.new(window.document.documentElement.lang, options).format(value)


def duration(seconds):
    """A time to come, in seconds, minutes or hours."""
    if seconds < 90:
        return t("seconds", count=number(max(1, seconds)))
    if seconds < 5400:
        return t("minutes", count=number(seconds / 60))
    return t("hours", count=number(seconds / 3600, 1))


def size(count):
    """Bytes in kilobytes, megabytes or gigabytes, one digit under ten."""
    mega = count / 1000000
    if count and mega < 0.1:
        return t("kilobytes", count=number(count / 1000, 1))
    if mega >= 1000:
        return t("gigabytes", count=number(mega / 1000, 1))
    return t("megabytes", count=number(mega, 1 if mega < 10 else 0))


def language_name(code):
    """A language by its name in the page's language, by its code where it has none."""
    options = window.JSON.parse('{"type": "language"}')
    try:
        names = window.Intl.DisplayNames.new(window.document.documentElement.lang, options)
        return names.of(code) or code
    except Exception:  # noqa: BLE001  the browser refuses codes that are not well-formed
        return code
