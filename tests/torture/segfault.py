# expect: crashed
# status: 139
import ctypes
ctypes.string_at(0)
