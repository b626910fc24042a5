# profile: agent
# Barriers to which fewer come than it takes.
import threading

wide = threading.Barrier(parties=9)


def come():
    wide.wait()


for _ in range(3):
    threading.Thread(target=come, daemon=True).start()
wide.wait()  # error: AF503
