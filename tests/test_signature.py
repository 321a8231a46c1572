from meldcore.signature import main, positions, signature

SIGNATURE = 155965592691392700
# Changes when a count, a best move or the deal of the positions does: never by accident.


def test_signature():
    assert signature() == SIGNATURE


def test_every_deal_is_another_and_the_same_each_time():
    dealt = positions()
    assert dealt == positions()
    assert len(set(dealt)) == len(dealt)


def test_main_prints_the_number_alone(capsys):
    assert main() == 0
    out, err = capsys.readouterr()
    assert out == f"{SIGNATURE}\n"
    assert err.endswith(" positions/s\n")
