# profile: agent


def triples(most):
    return sum(1 for a in range(1, most) for b in range(1, most) for c in range(1, most) if a * a + b * b == c * c)  # error: AF302


print(triples(5000))
