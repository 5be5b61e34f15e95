"""`python -m hostcann`."""

from . import main

main()
