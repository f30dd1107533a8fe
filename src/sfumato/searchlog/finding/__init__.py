"""Finding queries by which somebody can be recognized: rarity over people first, patterns second."""
