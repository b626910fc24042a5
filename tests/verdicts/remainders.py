# profile: agent
# A counter that is only looked at modulo something comes back to where it was.
n = 0
while n % 4 != 3:  # error: AF401
    n += 2
