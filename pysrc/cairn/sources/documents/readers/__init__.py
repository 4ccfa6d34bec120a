"""One reader for each kind of file: bytes to text. Files are untrusted; every fault is a sentence."""
