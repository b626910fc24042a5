# profile: agent
def attempt(run):
    try:
        run()
    except (TypeError, ValueError, OverflowError):
        pass


attempt(lambda: f"{'a':99999999999d}")
attempt(lambda: format(1, "9999999999s"))
attempt(lambda: "{:9999999999x}".format(1.5))
attempt(lambda: "%9999999999d" % "a")
attempt(lambda: f"{1.5:.3000000000f}")
attempt(lambda: "%.3000000000f" % 1.5)
attempt(lambda: ("\t" * 2).expandtabs(10**10))
attempt(lambda: (1).to_bytes(10**11, "big", True))
