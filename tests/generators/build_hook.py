"""Compiling the search kernel while the package is built; without a compiler it stays Python.

The commit of the checkout is written into the package, too.

hatchling loads this file by its path (see ``[tool.hatch.build.hooks.custom]`` in pyproject.toml),
before anything is installed: it imports nothing of pbmserv.
"""

import os
import subprocess
from contextlib import chdir
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMMIT = Path("pbmserv/commit.txt")
"""Where what is built from a checkout keeps its commit, for ``pbmserv --version``."""

FOLDER = "pbmserv/computer"
DIRECTIVES = {
    "language_level": "3",
    "annotation_typing": False,
    "boundscheck": False,
    "cdivision": True,
    "initializedcheck": False,
    "wraparound": False,
}


class KernelHook(BuildHookInterface):
    """Puts the compiled kernel into the wheel where it can be compiled, and the commit."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the commit down; compile the kernel, or say why not, and never fail for it."""
        root = Path(self.root)
        self.scratch = TemporaryDirectory(prefix="pbmserv-kernel-")
        if version != "editable" and (commit := commit_of(root)):
            written = Path(self.scratch.name) / COMMIT.name
            written.write_text(f"{commit}\n", encoding="ascii")
            build_data["force_include"][str(written)] = str(COMMIT)
        if self.target_name != "wheel":
            return
        for old in compiled_files(root):
            old.unlink()
        try:
            libraries = compiled_kernel(root, Path(self.scratch.name))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a tool-chain may raise
            self.app.display_warning(f"The search kernel is not compiled: {error}")
            return
        for library in libraries:
            if version == "editable":
                copyfile(library, root / FOLDER / library.name)
            else:
                build_data["force_include"][str(library)] = f"{FOLDER}/{library.name}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Throw away what the wheel holds by now."""
        del version, build_data, artifact_path
        self.scratch.cleanup()


def commit_of(root: Path) -> str:
    """Return the commit of a checkout, or "" for any other folder or without git."""
    if not (root / ".git").exists():
        return ""
    words = ["git", "-c", "safe.directory=*", "describe"]
    words += ["--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        found = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return found.stdout.strip()


def compiled_files(root: Path) -> list[Path]:
    """Return what was made of the kernel before: one library for each file of C types."""
    return [path for path in (root / FOLDER).glob("_*.*.*") if path.suffix in {".so", ".pyd"}]


def compiled_kernel(root: Path, scratch: Path) -> list[Path]:
    """Return the libraries that were made in the folder ``scratch``: of each module with C types.

    Operations are not fused, as compilers like to: they would round otherwise than Python does.
    """
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    exact = [] if os.name == "nt" else ["-O3", "-ffp-contract=off", "-g0"]
    modules = []
    (scratch / FOLDER).mkdir(parents=True, exist_ok=True)
    for package in (FOLDER, Path(FOLDER).parent):  # else C types of one that is installed are taken
        (scratch / package / "__init__.py").touch()
    for types in sorted((root / FOLDER).glob("_*.pxd")):
        source = f"{types.stem.removeprefix('_')}.py"
        for name in (source, types.name):
            copyfile(root / FOLDER / name, scratch / FOLDER / name)
        module = f"{FOLDER.replace('/', '.')}.{types.stem}"
        modules.append(Extension(module, [f"{FOLDER}/{source}"], extra_compile_args=exact))
    with chdir(scratch):  # the libraries name their sources: so they are the same bytes each time
        extensions = cythonize(modules, compiler_directives=DIRECTIVES, quiet=True)
        build = build_ext(Distribution({"ext_modules": extensions}))
        build.build_lib, build.build_temp = "lib", "temp"
        build.ensure_finalized()
        build.run()
    return [scratch / build.get_ext_fullpath(module.name) for module in modules]
