"""What a cell prints."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from headland.jobs.sessions.interpreter.capture import Capture, text_stream


def test_text_and_bytes_come_in_order() -> None:
    capture = Capture(1000)
    stream = text_stream(capture)
    capture.begin()
    print("furrow", file=stream)
    stream.buffer.write(b"bytes\n")
    print("größe \udc80", end="", file=stream)
    assert capture.end() == "furrow\nbytes\ngröße \\udc80"


@pytest.mark.parametrize("piece", [1, 7, 100, 5000])
def test_the_middle_of_too_much_is_cut_with_a_notice(piece: int) -> None:
    capture = Capture(1000)
    stream = text_stream(capture)
    whole = "".join(f"{number:04}" for number in range(1250))
    capture.begin()
    for begin in range(0, len(whole), piece):
        stream.write(whole[begin : begin + piece])
    assert capture.end() == whole[:500] + "\n[4000 bytes of output were cut here]\n" + whole[-500:]


def test_a_cell_has_nothing_of_the_one_before() -> None:
    capture = Capture(10)
    stream = text_stream(capture)
    capture.begin()
    stream.write("x" * 100)
    capture.end()
    capture.begin()
    stream.write("y")
    assert capture.end() == "y"


def test_what_is_printed_between_cells_goes_to_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    capture = Capture(100)
    stream = text_stream(capture)
    stream.write("from a thread\n")
    capture.begin()
    stream.write("own")
    assert capture.end() == "own"
    stream.write("late\n")
    assert capfd.readouterr().err == "from a thread\nlate\n"


def test_threads_lose_nothing() -> None:
    capture = Capture(1 << 20)
    stream = text_stream(capture)
    capture.begin()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: stream.buffer.write(b"line\n"), range(4000)))
    assert capture.end() == "line\n" * 4000
