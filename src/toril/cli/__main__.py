"""`python -m toril.cli`, which is how `toril` starts itself again."""

from toril.cli.main import main

main()
