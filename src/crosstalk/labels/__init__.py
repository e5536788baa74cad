"""Labels checked: what a turn says, against what was ticked, searched, selected and written down.

`checker.py` finds disagreements by rules; nothing here changes a label, and nothing is printed.
"""
