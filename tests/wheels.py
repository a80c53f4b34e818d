"""Small packages, made on the spot, so that tests need none of the index's."""

import tarfile
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path


def write_wheel(folder: Path, name: str, version: str, files: Mapping[str, str], requires: str = "") -> None:
    """A wheel of pure Python files, which may require another package."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    needed = f"Requires-Dist: {requires}\n" if requires else ""
    content = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needed}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,\n" for path in [*content, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, text in {**content, f"{info}/RECORD": record}.items():
            wheel.writestr(path, text)


def write_sdist(folder: Path, name: str, version: str, setup: str) -> None:
    """A source distribution whose ``setup.py`` is the text."""
    folder.mkdir(exist_ok=True)
    files = {"setup.py": setup, "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}
    with tarfile.open(folder / f"{name}-{version}.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(f"{name}-{version}/{path}")
            member.size = len(text.encode())
            archive.addfile(member, BytesIO(text.encode()))
