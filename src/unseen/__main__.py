"""Run the command line: `python -m unseen`."""

from unseen.cli import main

if __name__ == "__main__":
    main()
