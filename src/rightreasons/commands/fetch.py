"""`rightreasons fetch`: download a published corpus into the cache."""

from __future__ import annotations

import click

from rightreasons.commands.output import print_message


@click.command()
@click.argument("name", required=False)
def fetch(*, name: str | None) -> None:
    """Download the corpus NAME into the cache and verify its sha256; without NAME, list the available corpora.

    An interrupted download is resumed. Pass the printed names to --corpus. The cache is below ~/.cache; set
    RIGHTREASONS_CACHE to use another folder.
    """
    from rightreasons.corpora.corpus_source import fetch_archive
    from rightreasons.io.archives import ARCHIVES

    if name is None:
        for known, archive in ARCHIVES.items():
            size = sum(file.bytes for file in archive.downloads) / 1e6
            click.echo(
                f"{known:10} {archive.about} ({archive.licence}, {size:,.0f} MB): {', '.join(archive.corpora)}"
            )
        return
    for corpus, path in fetch_archive(name).items():
        print_message(f"Use --corpus {corpus} to read {path}.")
