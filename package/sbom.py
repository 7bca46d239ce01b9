# SPDX-License-Identifier: MIT
"""The parts of an installed emu as an SPDX 2.3 document: its files with their hashes, and the libraries
that they are linked with.

usage: sbom.py PREFIX VERSION EPOCH FILE.spdx.json

PREFIX is what `cmake --install` filled; EPOCH, in seconds, dates the document, so that the same
installation always makes the same one. Versions of libraries are pkg-config's.
"""

import datetime
import hashlib
import os
import subprocess
import sys
import uuid

from spdx_tools.common.spdx_licensing import spdx_licensing
from spdx_tools.spdx.model import (
    Actor, ActorType, Checksum, ChecksumAlgorithm, CreationInfo, Document, File, Package,
    PackageVerificationCode, Relationship, RelationshipType, SpdxNoAssertion)
from spdx_tools.spdx.writer.write_anything import write_file

LIBRARIES = {  # pkg-config's name: (name, licence, where it comes from)
    "jansson": ("jansson", "MIT", "https://github.com/akheron/jansson"),
    "libzstd": ("zstd", "BSD-3-Clause OR GPL-2.0-only", "https://github.com/facebook/zstd"),
    "liblz4": ("lz4", "BSD-2-Clause", "https://github.com/lz4/lz4"),
}
AUTHORS = Actor(ActorType.ORGANIZATION, "the authors of CUDA, step by step")


def files_of(prefix):
    """Every file of the installation, by its path from there."""
    files = []
    for folder, _, names in os.walk(prefix):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = file.read()
            relative = os.path.relpath(path, prefix)
            files.append(File(
                name="./" + relative, spdx_id="SPDXRef-File-" + hashlib.sha1(
                    relative.encode()).hexdigest(),
                checksums=[Checksum(ChecksumAlgorithm.SHA1, hashlib.sha1(data).hexdigest()),
                           Checksum(ChecksumAlgorithm.SHA256, hashlib.sha256(data).hexdigest())],
                license_concluded=spdx_licensing.parse("MIT")))
    return sorted(files, key=lambda file: file.name)


def library(name):
    """A library of the system that emu is linked with."""
    title, licence, home = LIBRARIES[name]
    version = subprocess.run(["pkg-config", "--modversion", name], check=True, text=True,
                             stdout=subprocess.PIPE).stdout.strip()
    return Package(name=title, spdx_id="SPDXRef-Package-" + title, version=version,
                   download_location=home, files_analyzed=False,
                   license_declared=spdx_licensing.parse(licence),
                   license_concluded=SpdxNoAssertion(), copyright_text=SpdxNoAssertion())


def describe(prefix, version, epoch):
    files = files_of(prefix)
    sums = "".join(sorted(file.checksums[0].value for file in files))
    code = hashlib.sha1(sums.encode()).hexdigest()  # as SPDX 2.3, 7.9 has it
    emu = Package(name="cuda-emu", spdx_id="SPDXRef-Package-cuda-emu", version=version,
                  download_location=SpdxNoAssertion(), supplier=AUTHORS,
                  verification_code=PackageVerificationCode(code),
                  license_declared=spdx_licensing.parse("MIT"),
                  license_concluded=spdx_licensing.parse("MIT"),
                  license_info_from_files=[spdx_licensing.parse("MIT")],
                  copyright_text="Copyright (c) 2026 the authors of CUDA, step by step")
    libraries = [library(name) for name in LIBRARIES]
    info = CreationInfo(
        spdx_version="SPDX-2.3", spdx_id="SPDXRef-DOCUMENT", name=f"cuda-emu-{version}",
        document_namespace=f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, code)}", creators=[AUTHORS],
        created=datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).replace(tzinfo=None))
    relations = [Relationship("SPDXRef-DOCUMENT", RelationshipType.DESCRIBES, emu.spdx_id)]
    relations += [Relationship(emu.spdx_id, RelationshipType.CONTAINS, file.spdx_id) for file in files]
    relations += [Relationship(emu.spdx_id, RelationshipType.DYNAMIC_LINK, part.spdx_id)
                  for part in libraries]
    return Document(info, packages=[emu] + libraries, files=files, relationships=relations)


def main():
    prefix, version, epoch, path = sys.argv[1:]
    write_file(describe(prefix, version, int(epoch)), path)  # which validates it first


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit("usage: sbom.py PREFIX VERSION EPOCH FILE.spdx.json")
    main()
