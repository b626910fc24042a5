# expect: raised
# error: MemoryError
# status: 1
raise MemoryError('not really')
