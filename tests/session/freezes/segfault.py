# expect: crashed
# state: kept
# status: 139
import ctypes
ctypes.string_at(0)
