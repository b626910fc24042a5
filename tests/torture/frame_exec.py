# expect: timed_out
# flags: --timeout 1
# stack: 1
exec('while True: pass')
