"""The node's name: made once, kept for ever."""

import re

from headland.jobs.node import node_name


def test_a_name_is_made_and_kept(tmp_path):
    name = node_name(tmp_path / "node")
    assert re.fullmatch(r"node-[0-9a-f]{16}", name)
    assert node_name(tmp_path / "node") == name
    assert [entry.name for entry in tmp_path.iterdir()] == ["node"]


def test_no_two_nodes_have_the_same(tmp_path):
    assert node_name(tmp_path / "one") != node_name(tmp_path / "two")


def test_a_name_that_was_given_is_used(tmp_path):
    (tmp_path / "node").write_text("headnode-3\n")
    assert node_name(tmp_path / "node") == "headnode-3"
