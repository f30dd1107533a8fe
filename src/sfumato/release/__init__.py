"""From a table and a node to a release: written, read again, certified, and only then put in place."""

from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.publishing import publish
from sfumato.release.release import Release

__all__ = ["Certificate", "Release", "certificate_path", "publish"]
