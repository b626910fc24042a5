# Names that only `exec` and `globals()` make.
exec('made = 3')
globals()['other'] = 4
total = made + other
