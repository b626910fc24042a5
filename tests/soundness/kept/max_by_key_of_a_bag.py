# Items known only as a bag, whose keys are nevertheless counted one by one.
import os

n = len(os.environ.get('ANTIFREEZE_FLAG', ''))
items = sorted([n, n, n, 7], reverse=True)
least = max(items, key=lambda k: -k, default=None)
most = min(items, key=lambda k: -k, default=None)
