"""Every example runs where its libraries are installed; those that are not in .venv: make ecosystem."""

import json
import re
import runpy
import sys

import pytest
import run
from library_examples import EXAMPLES, LIBRARY_EXAMPLES, Example


def test_every_example_has_its_row_and_fits_a_screen_or_two():
    files = {path.name for path in EXAMPLES.glob("*.py")}
    others = {"clone_demonstrations.py", "export_onnx.py", "planners.py"}
    assert files == {example.file for example in LIBRARY_EXAMPLES} | others
    for name in files - {"planners.py"}:
        assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) <= 80, name


def test_the_tables_are_those_of_the_record():
    text, record = run.PAGE.read_text(encoding="utf-8"), json.loads(run.RECORD.read_text(encoding="utf-8"))
    assert run.table(record) in text
    assert run.check_table(record) in text
    assert [(check.library, check.use) for check in run.CHECKS] == [
        (row["library"], row["use"]) for row in record["checks"]
    ]
    shown = text.partition("<!-- table")[2]
    assert {example.file for example in LIBRARY_EXAMPLES} == set(re.findall(r"\(\.\./examples/(\w+\.py)\)", shown))


@pytest.mark.compiled
@pytest.mark.extended
@pytest.mark.parametrize("example", LIBRARY_EXAMPLES, ids=lambda example: example.name)
def test_the_example_runs(example: Example, tmp_path, monkeypatch, capsys):
    for module in example.needs:
        pytest.importorskip(module, reason=f"needs {module}: make ecosystem")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [example.file, *example.short])
    runpy.run_path(str(EXAMPLES / example.file), run_name="__main__")
    rate = re.search(r"^([\d,]+) steps a second", capsys.readouterr().out, re.MULTILINE)
    assert rate, "the example prints its speed"
    assert int(rate[1].replace(",", "")) > 0
