"""See the architecture page for what lives here."""
