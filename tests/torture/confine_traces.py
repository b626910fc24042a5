# expect: finished
# modes: ns
# flags: --confine --timeout 30
# stdout: ""
def attempt(what, do):
    try:
        do()
    except (OSError, ValueError):
        return
    print('got away:', what)
import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
child = os.fork()
if child == 0:
    time.sleep(20)
    os._exit(0)
for pid in (1, child, int(os.environ['HOST_PID'])):
    if libc.ptrace(16, pid, None, None) == 0: print('got away: ptrace', pid)
buffer = ctypes.create_string_buffer(8)
class IO(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('size', ctypes.c_size_t)]
io = IO(ctypes.addressof(buffer), 8)
if libc.process_vm_readv(child, ctypes.byref(io), 1, ctypes.byref(io), 1, 0) > 0: print('got away: memory')
os.kill(child, 9)
