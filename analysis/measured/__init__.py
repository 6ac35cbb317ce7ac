"""Pictures of the gallery of measured links."""
