# profile: agent
import itertools

letters = "abcdefghijklmnop"
for key in itertools.product(letters, repeat=8):  # error: AF404
    text = ""
    for i, letter in enumerate("lejjlnjmjndk"):
        text += letters[i] + letter
    for a, b in zip("abc", "xyz"):
        text += a + b

for n in itertools.count():
    left = 0
    for a, b in zip([1, 2, 3], [4, 5]):
        left += a * b
    if left == 14 and n > 10**7:
        break
print(left)
