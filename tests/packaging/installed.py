"""What an installation of tacit consists of, found out without a package index.

The locked packages lie in the environment that runs the tests; which of them tacit needs is in the metadata of its
wheel. So an empty environment is filled from there, with the files that each package lists as its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

MB = 1 << 20


def tacit_in(site: Path) -> Distribution:
    """Return the metadata of the tacit in a site-packages folder."""
    [folder] = site.glob("tacit-*.dist-info")
    return PathDistribution(folder)


def needed(found: Distribution, extras: Iterable[str] = ()) -> dict[str, Distribution]:
    """Return the packages that a distribution with these extras needs here, itself left out, by name."""
    packages: dict[str, Distribution] = {}
    own = canonicalize_name(found.metadata["Name"])
    waiting = [(found, extra) for extra in ("", *extras)]
    seen = {(own, extra) for _, extra in waiting}
    while waiting:
        package, extra = waiting.pop()
        for line in package.requires or ():
            requirement = Requirement(line)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            name = canonicalize_name(requirement.name)
            if name != own:
                packages[name] = packages.get(name) or installed(name)
            for wanted in ("", *requirement.extras):
                if (name, wanted) not in seen:
                    seen.add((name, wanted))
                    waiting.append((found if name == own else packages[name], wanted))
    return packages


def installed(name: str) -> Distribution:
    """Return a package of this environment."""
    try:
        return distribution(name)
    except PackageNotFoundError as error:
        raise AssertionError(f"{name} is required and not locked: run `make lock`") from error


def files(package: Distribution) -> list[tuple[str, Path]]:
    """Return the files of a package below site-packages, as (name there, path here); no byte code, no programs."""
    listed = [(str(file), Path(str(file.locate()))) for file in package.files or ()]
    return [(name, path) for name, path in listed if not name.startswith("..") and not name.endswith(".pyc")]


def size_bytes(packages: Iterable[Distribution]) -> int:
    """Return the bytes of all files of packages."""
    return sum(path.stat().st_size for package in packages for _, path in files(package))


def copy_into(target: Path, packages: Iterable[Distribution]) -> None:
    """Put the files of packages into a site-packages folder."""
    for package in packages:
        for name, path in files(package):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
