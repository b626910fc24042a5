# expect: raised
# error: MemoryError
# status: 1
class Full(MemoryError): pass
try:
    raise MemoryError
except MemoryError:
    raise MemoryError('still not')
