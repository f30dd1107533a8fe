"""From a table and a node to a release: written, read again, certified, and only then put in place."""

from sfumato.publish.certificate import Certificate, certificate_path
from sfumato.publish.publishing import publish
from sfumato.publish.release import Release

__all__ = ["Certificate", "Release", "certificate_path", "publish"]
