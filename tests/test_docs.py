"""Every example in the README, in docs/ and in the docstrings runs."""

import doctest
import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import meldcore

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = ["meldcore", *(f"meldcore.{module.name}" for module in pkgutil.iter_modules(meldcore.__path__))]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_pages(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write a file
    results = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert results.attempted == page.read_text(encoding="utf-8").count("\n>>> ")
    assert results.failed == 0


def described(module):
    """The docstrings of a module, compiled or not: its own, those of its classes, functions and methods."""
    yield module.__name__, module.__doc__
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) != module.__name__:
            continue
        yield f"{module.__name__}.{name}", inspect.getdoc(thing)
        if inspect.isclass(thing):
            for inner, member in list(vars(thing).items()):  # an example may add to it
                yield f"{module.__name__}.{name}.{inner}", inspect.getdoc(member)


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_docstrings(name):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    for place, text in described(module):
        runner.run(doctest.DocTestParser().get_doctest(text or "", vars(module).copy(), place, None, 0))
    assert runner.failures == 0
