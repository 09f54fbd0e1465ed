import pytest


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_the_shells(bare_headland, shell):
    result = bare_headland("completion", shell)
    assert result.exit_code == 0
    assert f"_HEADLAND_COMPLETE={shell}_complete" in result.stdout
    assert result.stderr == ""


def test_an_unknown_shell_is_2(bare_headland):
    assert bare_headland("completion", "csh").exit_code == 2


def test_what_the_script_asks_is_answered(bare_headland):
    answered = bare_headland(
        _HEADLAND_COMPLETE="bash_complete", COMP_WORDS="headland batch submit --dri", COMP_CWORD="3"
    )
    assert answered.stdout.split() == ["plain,--driver-memory", "plain,--driver-cores"]


def test_only_names_that_begin_so_are_offered(bare_headland):
    answered = bare_headland(_HEADLAND_COMPLETE="bash_complete", COMP_WORDS="headland lo", COMP_CWORD="1")
    assert answered.stdout.split() == ["plain,login", "plain,logout"]
