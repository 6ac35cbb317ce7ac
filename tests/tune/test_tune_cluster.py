"""A search whose simulations run on the workers of a cluster gives the result of this machine alone."""

import json
from pathlib import Path
from typing import Any

import distributed
import pytest
from in_process import tmt
from local_cluster import Cluster
from small_search import Searched

pytestmark = pytest.mark.ns2

PLACES = {"folder", "page", "winner_scenario"}


def test_tune__on_a_cluster_finds_the_same(searched: Searched, cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_worker("one")
    cluster.await_workers(1)
    connect: Any = distributed.Client
    with connect(cluster.address, set_as_default=False) as client:
        client.get_task_stream()  # the scheduler keeps a record of its tasks from now on
        command = ("tune", searched.scenario, "--output", "out", "--scheduler", cluster.address, "--json")
        done = tmt(*command, folder=tmp_path)
        tasks = [task["key"] for task in client.get_task_stream()]
    assert done.status == 0, done.err
    result = json.loads(done.out)
    assert result.keys() == searched.result.keys()
    assert {key: result[key] for key in result.keys() - PLACES} == {
        key: searched.result[key] for key in result.keys() - PLACES
    }
    assert sum("perform" in key for key in tasks) == 2 * 3 + result["counts"]["outcomes"]
