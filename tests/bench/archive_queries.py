"""What the archive benchmarks ask."""

from __future__ import annotations

# Each is asked once: kiwix-serve remembers the results of a query, and a person does not repeat it.
FIRST = ("random access",)
WARM_UP = ("memory", "file system", "kernel", "network protocol", "language")
QUERIES = (
    "virtual memory page", "garbage collection", "text editor", "parallel computer", "data compression",
    "operating system", "object oriented programming", "disk drive controller", "error correction code",
    "artificial intelligence", "serial port", "public key cryptography", "window manager", "floating point",
    "relational database", "electronic mail", "character set", "machine code", "automata", "type system",
    "lazy evaluation", "hash table", "digital signal", "mainframe terminal", "packet switching",
    "graphics standard", "logic programming", "source code control", "software engineering", "user interface",
)  # fmt: skip
