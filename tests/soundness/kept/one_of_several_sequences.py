# Loops over one of several lists, of which some are shorter, and some change meanwhile.
import random

lists = {"a": [1, 2, 3], "b": [4], "c": []}
picked = random.choice(["a", "b", "c"])
chosen = lists[picked]
taken = []
for item in chosen:
    taken.append(item)
tail = [x for x in chosen[random.randint(0, 2) :]]
count = len(taken)
pair = (1, 2) if random.random() < 0.5 else (3, 4, 5)
total = 0
for n in pair:
    total += n
grown = [1] if random.random() < 0.5 else [1, 2]
steps = 0
for n in grown:
    steps += 1
    if len(grown) < 5:
        grown.append(n)
shrunk = [1, 2, 3, 4] if random.random() < 0.5 else [5, 6, 7]
left = 0
for n in shrunk:
    left = n
    shrunk.pop()
both = list(zip(chosen, pair))
iterator = iter(chosen)
first = next(iterator, None)
rest = list(iterator)
rounded = round(random.random() * 1e300, 2) >= 0
part = "abcdef"[random.randint(0, 3) : random.randint(3, 9)]
drawn = set()
while len(drawn) < 4:
    drawn.add(random.randint(0, 3))
drawn_count = len(drawn)
faces = {random.choice([0, 1, True, 1.0]) for _ in range(20)}
face_count = len(faces)
