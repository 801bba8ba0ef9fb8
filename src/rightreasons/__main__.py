"""Run the command line with `python -m rightreasons`."""

from __future__ import annotations

from rightreasons.cli import main

if __name__ == "__main__":
    main(prog_name="rightreasons")
