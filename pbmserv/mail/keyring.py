"""The keys that sign our addresses, in a file of their own: no backup of the games has them."""

import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pbmserv.errors import Fault
from pbmserv.mail.tokens import SECRET_SIZE, VALID_KEYS, Key, Keys
from pbmserv.settings import open_at_once
from pbmserv.store.files.location import PRIVATE, private_mode

IDS = 256


@dataclass(frozen=True)
class KeptKey:
    """One key as the file has it: its number, its secret bytes, and when it was made."""

    number: int
    secret: bytes = field(repr=False)
    created_at: int


@dataclass(frozen=True)
class Keyring:
    """The signing keys in a file that only its owner may read, made when it is needed."""

    path: Path

    def signing_keys(self, now: int) -> Keys:
        """Return the valid keys, newest first, making one if need be; raises :class:`Fault`."""
        kept = self.kept()
        if not kept:
            # Of several programs that begin at once, one makes the key and all use it.
            self._write([KeptKey(1, secrets.token_bytes(SECRET_SIZE), now)], is_new=True)
            kept = self.kept()
        return [Key(key.number % IDS, key.secret) for key in kept]

    def rotate(self, now: int) -> Keys:
        """Make a new key, which signs everything from now on; the one before still counts."""
        kept = self.kept()
        if kept:
            # Older keys open nothing any more, so nothing is gained by keeping them.
            new = KeptKey(kept[0].number + 1, secrets.token_bytes(SECRET_SIZE), now)
            self._write([new, *kept][:VALID_KEYS])
        return self.signing_keys(now)

    def kept(self) -> list[KeptKey]:
        """Return the keys in the file, the newest first, or an empty list without a file."""
        try:
            with open_at_once(self.path, "ascii") as file:
                text = file.read()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError) as error:
            raise self._unusable() from error
        try:
            rows = json.loads(text)["keys"]
            keys = [KeptKey(r["number"], bytes.fromhex(r["secret"]), r["created_at"]) for r in rows]
        except (ValueError, KeyError, TypeError):
            # The cause could show what stands in the file.
            raise self._unusable() from None
        if not keys or any(len(key.secret) != SECRET_SIZE for key in keys):
            raise self._unusable()
        return keys

    def _write(self, keys: Sequence[KeptKey], *, is_new: bool = False) -> None:
        """Put the keys on disk, whole or not at all; a new file never takes another's place."""
        rows = [{**vars(key), "secret": key.secret.hex()} for key in keys]
        draft = self.path.with_name(f".{self.path.name}.{secrets.token_hex(8)}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
            draft.chmod(private_mode(self.path.parent))
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(json.dumps({"keys": rows}, indent=1) + "\n")
                file.flush()
                os.fsync(file.fileno())
            try:
                if is_new:
                    os.link(draft, self.path)
                else:
                    draft.replace(self.path)
            except FileExistsError:
                pass
            finally:
                draft.unlink(missing_ok=True)
        except OSError as error:
            raise self._unusable() from error

    def _unusable(self) -> Fault:
        return Fault(
            f"The file of the signing keys cannot be used: {self.path}.",
            code="bad-keys",
            hint="If you move it away, a new one is made. Earlier mail can then be answered only "
            "with a password.",
        )
