"""An arena on executors that are not its own: the table is the same wherever the games are played."""

import pytest
from distributed import Client, LocalCluster

from meldcore import Rules
from meldcore.arena import Tournament, run


# What distributed starts and ends beside the arena is its own affair.
@pytest.mark.filterwarnings("default")
def test_dask():
    tournament = Tournament(("greedy", "random"), Rules.preset("rummi-q"), games=40, seed=5)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as cluster,
        Client(cluster) as client,
        client.get_executor() as executor,
    ):
        played = run(tournament, executor=executor, jobs=2)
    assert played.to_json() == run(tournament).to_json()
    assert played.games == 40
