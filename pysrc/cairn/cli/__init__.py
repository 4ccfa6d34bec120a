"""Cairn's command line: what `./cairn COMMAND` runs once the environment is set up."""
