# profile: agent
# The exception comes before the append, so nothing is kept.
kept = []
for i in range(2 * 10**8):
    try:
        kept.append(int("x"))
    except ValueError:
        pass
