"""Plays the shell of a terminal for `antifreeze watch`: python terminal.py ANTIFREEZE FLAGS…

Runs programs under watch on a terminal of its own, types, resizes, stops and goes on, and fails where a program notices a difference.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

ANTIFREEZE, FLAGS = sys.argv[1], sys.argv[2:]
PATIENCE = 20


class Shell:
    """A process group in the foreground of a terminal."""

    def __init__(self, code, flags=(), script=None, background=False, control=True):
        """With `script` it is run by `sh`, in the job's process group, with the command as its arguments. In the background the job has
        the terminal after a while only. Without control there is no shell that could go on with a job that was stopped."""
        self.ours, self.theirs = pty.openpty()
        self.resize(30, 100)
        self.before = termios.tcgetattr(self.theirs)
        self.said = b""
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)
            # The shell: it starts a job in a process group of its own and gives it the terminal.
            job = os.fork()
            if job == 0:
                if control:
                    os.setpgid(0, 0)
                if control and not background:
                    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
                    os.tcsetpgrp(self.theirs, os.getpid())
                    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                for fd in (0, 1, 2):
                    os.dup2(self.theirs, fd)
                os.closerange(3, 64)
                command = [ANTIFREEZE, "watch", *(flags or FLAGS), "--", sys.executable, "-c", code]
                if script:
                    command = ["/bin/sh", "-c", script, "sh", *command]
                os.execv(command[0], command)
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            if not control:
                # What the keys of the terminal send comes to the whole of it.
                for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
                    signal.signal(number, signal.SIG_IGN)
            try:
                if background:
                    time.sleep(2)
                    os.tcsetpgrp(self.theirs, job)
                while True:
                    _, status = os.waitpid(job, os.WUNTRACED)
                    os.tcsetpgrp(self.theirs, os.getpid())
                    if not os.WIFSTOPPED(status):
                        break
                    mode = termios.tcgetattr(self.theirs)[3] & (termios.ICANON | termios.ECHO)
                    os.write(self.theirs, b"<stopped %d>" % bool(mode))
                    time.sleep(0.5)
                    os.tcsetpgrp(self.theirs, job)
                    os.kill(-job, signal.SIGCONT)
                word = b"<signal %d>" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else b"<status %d>" % os.WEXITSTATUS(status)
                os.write(self.theirs, word)
                time.sleep(0.2)
            finally:
                os._exit(0)

    def resize(self, rows, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys):
        os.write(self.ours, keys)

    def expect(self, *words):
        end = time.monotonic() + PATIENCE
        while not any(word in self.said for word in words):
            if time.monotonic() > end:
                raise SystemExit(f"{words} did not come: {self.said!r}")
            if select.select([self.ours], [], [], 0.1)[0]:
                try:
                    self.said += os.read(self.ours, 65536)
                except OSError:
                    if not any(word in self.said for word in words):
                        raise SystemExit(f"{words} did not come before the end: {self.said!r}") from None
        word = next(word for word in words if word in self.said)
        at = self.said.index(word) + len(word)
        seen, self.said = self.said[:at], self.said[at:]
        return seen

    def end(self, word):
        self.expect(word)
        after = termios.tcgetattr(self.theirs)
        if after[:4] != self.before[:4]:
            raise SystemExit("the terminal is not as it was found")
        os.waitpid(self.pid, 0)
        os.close(self.ours)
        os.close(self.theirs)


def sizes_and_ttys():
    shell = Shell(
        "import os, signal, time\n"
        "print([os.isatty(n) for n in range(3)], tuple(os.get_terminal_size()))\n"
        "signal.signal(signal.SIGWINCH, lambda *_: print('now', tuple(os.get_terminal_size()), flush=True))\n"
        "print('ready', flush=True)\n"
        "for _ in range(200): time.sleep(0.05)\n"
    )
    shell.expect(b"[True, True, True] (100, 30)\r\n")
    shell.expect(b"ready")
    shell.resize(40, 120)
    shell.expect(b"now (120, 40)\r\n")
    shell.type(b"\x03")
    shell.expect(b"KeyboardInterrupt")
    shell.end(b"<signal 2>")


def lines_and_the_end_of_input():
    shell = Shell("import sys\nprint('ready', flush=True)\nfor line in sys.stdin: print('got', line.strip()[::-1], flush=True)\nprint('end')")
    shell.expect(b"ready")
    shell.type(b"abc\n")
    # The terminal itself shows what is typed, once.
    seen = shell.expect(b"got cba\r\n")
    if seen.count(b"abc") != 1:
        raise SystemExit(f"shown more than once: {seen!r}")
    shell.type(b"\x04")
    shell.expect(b"end\r\n")
    shell.end(b"<status 0>")


def stops_and_goes_on():
    shell = Shell(
        "import time\nprint('ready', flush=True)\n"
        "for n in range(1000):\n    time.sleep(0.05)\n    if n == 60: break\nprint('done', flush=True)"
    )
    shell.expect(b"ready")
    time.sleep(0.3)
    shell.type(b"\x1a")
    seen = shell.expect(b"<stopped 1>", b"<stopped 0>")
    if b"<stopped 0>" in seen:
        raise SystemExit("while it is stopped the terminal is not as it was found")
    shell.expect(b"done")
    shell.end(b"<status 0>")


def keys_one_by_one():
    shell = Shell(
        "import curses\n"
        "def main(screen):\n"
        "    screen.addstr(0, 0, 'size %d %d ready' % screen.getmaxyx())\n    screen.refresh()\n"
        "    keys = [screen.getch() for _ in range(3)]\n    screen.addstr(1, 0, 'keys %s' % keys)\n    screen.refresh()\n    return keys\n"
        "print(curses.wrapper(main))"
    )
    shell.expect(b"ready")
    for key in (b"x", b"\x01", b"q"):
        time.sleep(0.1)
        shell.type(key)
    shell.expect(b"[120, 1, 113]\r\n")
    shell.end(b"<status 0>")


def quits_by_the_key():
    shell = Shell("import resource, time\nresource.setrlimit(resource.RLIMIT_CORE, (0, 0))\nprint('ready', flush=True)\ntime.sleep(60)")
    shell.expect(b"ready")
    shell.type(b"\x1c")
    shell.end(b"<signal 3>")


def a_killed_watch_leaves_the_terminal_as_it_was():
    shell = Shell("import time\nprint('ready', flush=True)\ntime.sleep(60)")
    shell.expect(b"ready")
    os.kill(watch_below(shell.pid), signal.SIGKILL)
    shell.expect(b"<signal 9>")
    end = time.monotonic() + PATIENCE
    while termios.tcgetattr(shell.theirs)[:4] != shell.before[:4]:
        if time.monotonic() > end:
            raise SystemExit("a killed watch leaves the terminal as it was")
        time.sleep(0.05)


def watch_below(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as children:
        return int(children.read().split()[0])


def a_freeze_leaves_the_terminal_as_it_was():
    shell = Shell("import tty, time\ntty.setraw(0)\nprint('ready', flush=True)\ntime.sleep(60)", flags=["--budget", "1s", *FLAGS] if "--silence" in FLAGS else ["--budget", "1s"])
    shell.expect(b"ready")
    shell.end(b"<status 124>")


LIMIT = ["--silence", "1s"] if "--silence" in FLAGS else ["--budget", "1s"]


def a_program_that_stops_itself_is_ended():
    for control in (True, False):
        shell = Shell("import os\nprint('ready', flush=True)\nos.kill(os.getpid(), 19)", flags=LIMIT, control=control)
        shell.expect(b"ready")
        seen = shell.expect(b"<status 124>", b"<stopped")
        if b"<stopped" in seen:
            raise SystemExit("only the terminal stops the clock")
        os.waitpid(shell.pid, 0)


def a_key_that_the_program_takes_stops_it_all_the_same():
    # As editors do: they put the screen in order first.
    shell = Shell(
        "import os, signal, time\n"
        "signal.signal(signal.SIGTSTP, lambda *_: os.kill(os.getpid(), signal.SIGSTOP))\n"
        "print('ready', flush=True)\nend = time.monotonic() + 3\nwhile time.monotonic() < end: time.sleep(0.05)\nprint('done', flush=True)"
    )
    shell.expect(b"ready")
    shell.type(b"\x1a")
    shell.expect(b"<stopped 1>")
    shell.expect(b"done")
    shell.end(b"<status 0>")


def without_a_shell_the_key_stops_nobody():
    shell = Shell("import time\nprint('ready', flush=True)\ntime.sleep(2)\nprint('done', flush=True)", control=False)
    shell.expect(b"ready")
    shell.type(b"\x1a")
    shell.expect(b"done")
    shell.expect(b"<status 0>")
    os.waitpid(shell.pid, 0)


def brought_to_the_foreground_it_shows_no_password():
    shell = Shell("import getpass\nprint(repr(getpass.getpass('word: ')), flush=True)", background=True)
    end = time.monotonic() + PATIENCE
    while os.tcgetpgrp(shell.ours) == shell.pid or termios.tcgetattr(shell.theirs)[3] & termios.ECHO:
        if time.monotonic() > end:
            raise SystemExit("what is typed is shown")
        time.sleep(0.05)
    shell.expect(b"word: ")
    shell.type(b"secret\n")
    seen = shell.expect(b"'secret'")
    if seen.count(b"secret") != 1:
        raise SystemExit(f"the password was shown: {seen!r}")
    shell.end(b"<status 0>")


def keys_reach_all_of_a_job():
    shell = Shell("import time\nprint('ready', flush=True)\ntime.sleep(60)", script='trap "echo caught" INT; "$@"; exit 5')
    shell.expect(b"ready")
    # Whom the shell waits for is stopped only if the whole group is.
    shell.type(b"\x1a")
    shell.expect(b"<stopped 1>")
    time.sleep(1.5)
    shell.type(b"\x03")
    shell.expect(b"caught")
    shell.end(b"<status 5>")


def a_killed_minder_leaves_the_terminal_as_it_was():
    shell = Shell("import tty, time\ntty.setraw(0)\nprint('ready', flush=True)\ntime.sleep(60)")
    shell.expect(b"ready")
    os.kill(watch_below(watch_below(shell.pid)), signal.SIGKILL)
    shell.end(b"<status 70>")


os.environ["TERM"] = "xterm"
CHECKS = (
    sizes_and_ttys,
    lines_and_the_end_of_input,
    stops_and_goes_on,
    keys_one_by_one,
    quits_by_the_key,
    a_killed_watch_leaves_the_terminal_as_it_was,
    a_freeze_leaves_the_terminal_as_it_was,
    a_program_that_stops_itself_is_ended,
    a_key_that_the_program_takes_stops_it_all_the_same,
    without_a_shell_the_key_stops_nobody,
    brought_to_the_foreground_it_shows_no_password,
    keys_reach_all_of_a_job,
    a_killed_minder_leaves_the_terminal_as_it_was,
)
for check in CHECKS:
    check()
    print(check.__name__, "ok")
