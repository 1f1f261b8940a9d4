"""`python -m tapeless`: the command line, where the console script is not on the path."""

from .cli import main

raise SystemExit(main())
