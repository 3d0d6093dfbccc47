"""The steps of ``.container/`` in a fresh Debian: what the image holds, and a club that runs in it.

No program for containers is needed: a stage is a folder, and each step is run with it as its root.
"""

import json
import os
import shlex
import shutil
import ssl
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.installed_program import own_environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FILES = ROOT / ".container"
TRUSTED = "trusted.crt"
ADMIN_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"

SHOW = "from urllib.request import urlopen as u; print(u('http://127.0.0.1:8170/').status)"
MOUNTED = 'mount -t proc proc "$0/proc"\nmount --rbind /dev "$0/dev"\n'
ALIVE = """\
ip link set lo up
mount --bind "$0" "$0"
for part in data tmp; do mount --bind "$0/$part" "$0/$part"; done
mount -o remount,bind,ro "$0"
start() {{
    {serve} &
    server=$!
    for _ in $(seq 300); do {show} 2> /dev/null && return; sleep 0.2; done
    exit 9
}}
stop() {{
    kill "$server"
    wait "$server"
}}
"""
"""A machine without a network on which nothing but some folders can be written."""


@dataclass
class Image:
    """The last stage of a Containerfile, and what it says of a container."""

    folder: Path
    environ: dict[str, str] = field(default_factory=dict)
    place: str = "/"
    told: dict[str, str] = field(default_factory=dict)

    def as_user(self, *words: str) -> str:
        """Return the line of a shell, where ``$0`` is the image, that does this in a container."""
        given = [f"{name}={text}" for name, text in self.environ.items()]
        line = shlex.join(["env", "-i", *given, *words])
        return f'chroot --userspec={self.told["USER"]} "$0" {line}'

    def command(self, word: str) -> list[str]:
        """Return the words of CMD or HEALTHCHECK."""
        found = json.loads(self.told[word].rpartition("CMD ")[2])
        assert isinstance(found, list)
        return found

    def run(self, script: str, *spaces: str) -> str:
        """Run a script as root beside the image; return what it printed."""
        done = subprocess.run(
            ["unshare", "--mount", *spaces, "bash", "-e", "-c", MOUNTED + script, str(self.folder)],
            env=own_environment(PATH=ADMIN_PATH),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done.stdout

    def alive(self, script: str) -> str:
        """Run a script in which ``start`` and ``stop`` are the container's; the same."""
        lines = ALIVE.format(
            serve=self.as_user(*self.command("CMD")),
            show=self.as_user("python3", "-c", SHOW),
        )
        return self.run(lines + script, "--net", "--pid", "--fork", "--kill-child")

    def step(self, said: str) -> None:
        """Do what a line with RUN says, by this machine's network."""
        environ = {"PATH": ADMIN_PATH, "DEBIAN_FRONTEND": "noninteractive"}
        environ |= {"PIP_CERT": f"/{TRUSTED}", "PIP_DEFAULT_TIMEOUT": "180", **self.environ}
        given = [f"{name}={text}" for name, text in environ.items()]
        script = f"cd {shlex.quote(self.place)} && {said}"
        self.run(f'exec chroot "$0" {shlex.join(["env", "-i", *given, "sh", "-c", script])}')

    def copy(self, origin: Path, name: str, to: str) -> None:
        """Do what a line with COPY says for one of its files or folders."""
        target = self.folder / self.place[1:] / to.lstrip("/")
        if to.endswith("/"):
            target /= Path(name).name
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-a", "-T", str(origin / name.lstrip("/")), str(target)], check=True)


@pytest.fixture(scope="module")
def debian(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """What ``FROM debian:trixie-slim`` gives, as far as it matters here."""
    if not request.config.getoption("--full"):
        pytest.skip("a fresh Debian takes two minutes: --full makes one, as .ci/run --release does")
    if os.geteuid() != 0 or not all(map(shutil.which, ("debootstrap", "unshare", "ip"))):
        pytest.skip("only root can make a fresh Debian, by debootstrap, unshare and ip")
    folder = tmp_path_factory.mktemp("container") / "debian"
    words = ["debootstrap", "--variant=minbase", "trixie", str(folder)]
    done = subprocess.run(words, env=own_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no fresh Debian is to be had: {done.stdout.splitlines()[-1:]}")
    shutil.copy("/etc/resolv.conf", folder / "etc" / "resolv.conf")
    shutil.copy(
        ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt",
        folder / TRUSTED,
    )
    return folder


@pytest.fixture(scope="module")
def image(debian: Path) -> Image:
    """What the Containerfile makes, line by line."""
    stages: dict[str, Image] = {}
    image = Image(debian)
    for line in (FILES / "Containerfile").read_text(encoding="utf-8").splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            name = rest.partition(" AS ")[2]
            image = stages[name] = Image(debian.with_name(f"stage-{name}"))
            subprocess.run(["cp", "-a", str(debian), str(image.folder)], check=True)
        elif word == "RUN":
            image.step(rest)
        elif word == "COPY":
            stage, *names = (
                rest.removeprefix("--from=").split() if "--from" in rest else ["", *rest.split()]
            )
            origin = stages[stage].folder if stage else ROOT
            for name in names[:-1]:
                image.copy(origin, name, names[-1])
        elif word == "ENV":
            image.environ |= dict(pair.split("=", 1) for pair in rest.split())
        elif word == "WORKDIR":
            image.place = rest
        else:
            image.told[word] = rest
    return image


def test_a_club_in_a_container_keeps_its_games_in_the_volume(image: Image) -> None:
    alice, bob = ("alice", "correct-horse"), ("bob", "battery-staple")
    said = image.alive(
        f"start\n"
        f"{image.as_user('id', '-un')}\n"
        f"{image.as_user('pbmserv', 'signup', *alice)}\n"
        f"{image.as_user('pbmserv', 'signup', *bob)}\n"
        f"{image.as_user('star', 'challenge', '-size=3', 'alice', 'bob')}\n"
        f"stop\n"
        f"start\n"
        f"{image.as_user('star', 'move', '101', *alice, 'C2')}\n"
        f"{image.as_user('pbmserv', 'doctor')} || true\n"
        f"stop\n"
    )

    assert "/data" == image.told["VOLUME"]
    assert 2 == said.count("200\n")
    assert "pbmserv\n" in said
    assert "alice plays C2." in said
    assert "compiled" in said
    assert {"pbmserv"} == {path.name for path in (image.folder / "data").iterdir()}
    assert [] == [*image.folder.glob("opt/pbmserv/lib/python3*/site-packages/Cython")]


def test_the_health_check_finds_a_club_well(image: Image) -> None:
    image.alive(f"start\n{image.as_user(*image.command('HEALTHCHECK'))}\nstop\n")
