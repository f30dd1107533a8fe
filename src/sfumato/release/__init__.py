"""From a policy to a release: written, read again, certified, and only then put in place."""

from sfumato.release.certificate import Certificate, certificate_path
from sfumato.release.output import Output
from sfumato.release.publishing import carry_out
from sfumato.release.reading import Reading
from sfumato.release.release import Release

__all__ = ["Certificate", "Output", "Reading", "Release", "carry_out", "certificate_path"]
