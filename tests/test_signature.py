from meldcore.signature import main, positions, signature

SIGNATURE = 0
"""Of all counts and best moves of `positions`. It changes when the rules do, and for no other reason."""


def test_signature() -> None:
    assert signature() == SIGNATURE


def test_positions_are_dealt_alike() -> None:
    dealt = positions()
    assert dealt == positions()
    assert len(set(dealt)) == len(dealt)
    assert {len("".join(position.hand)) > 0 for position in dealt} == {True}


def test_main_prints_the_number_alone(capsys) -> None:
    assert main() == 0
    out, err = capsys.readouterr()
    assert out == f"{SIGNATURE}\n"
    assert err.endswith(" positions/s\n")
