class Tables:
    """The automata of one edition with a given number of jokers, for the searches."""

    colours: int
    copies: int
    jokers: int
    max_jokers_per_set: int | None
    def __init__(self, colours: int, copies: int, jokers: int, max_jokers_per_set: int | None) -> None: ...

def tables_for(colours: int, copies: int, jokers: int, max_jokers_per_set: int | None) -> Tables: ...
