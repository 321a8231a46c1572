"""What one would use without meldcore, to measure against: integer programs on HiGHS, and exact cover;
and OpenSpiel, for the pace of whole games.

The first two know one game: four colours, numbers 1 to 13, two copies, two jokers that are free tiles, a player
who has opened.
"""
