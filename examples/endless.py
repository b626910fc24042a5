"""A binary search that stops moving once two candidates are left, as models like to write it."""

values = [1, 3, 5, 7, 9]
low, high = 0, len(values) - 1
while low < high:
    middle = (low + high) // 2
    if values[middle] <= 8:
        low = middle
    else:
        high = middle - 1
print(values[low])
