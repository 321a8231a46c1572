"""What one would use without meldcore, built with care, to measure against: integer programs on HiGHS, exact cover.

They know one game: four colours, numbers 1 to 13, two copies, two jokers that are free tiles, the player has opened.
"""
