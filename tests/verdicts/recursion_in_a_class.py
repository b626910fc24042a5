# profile: agent
class Solution:
    def __init__(self, steps):
        self.steps = steps

    def climb(self, n):
        if n <= 1:
            return 1
        total = 0
        total += self.climb(n - 1)
        total += self.climb(n - self.steps)
        return total


print(Solution(2).climb(20))
print(Solution(2).climb(75))  # error: AF603
