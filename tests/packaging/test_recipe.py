"""The conda recipe says what pyproject.toml says."""

import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_recipe__needs_the_packages_that_the_wheel_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == project["version"]
    wanted = [f"python{project['requires-python']}", *project["dependencies"]]
    found = [need.replace(" ", "") for need in recipe["requirements"]["run"]]
    assert found == wanted
    optional = [need.replace(" ", "") for need in recipe["requirements"]["run_constraints"]]
    assert optional == project["optional-dependencies"]["cluster"]
