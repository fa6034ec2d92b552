"""Runs a program in a pseudo-terminal: python3 pseudo-terminal.py <columns> <rows> <program> [arguments]

Bytes of standard input go to the terminal's keyboard, what the terminal shows goes to standard output. Ends with the
exit code of the program.
"""

import errno
import fcntl
import os
import pty
import select
import struct
import sys
import termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
watched = [terminal, sys.stdin.fileno()]
while terminal in watched:
    ready, _, _ = select.select(watched, [], [])
    for end in ready:
        try:
            data = os.read(end, 65536)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if not data:
            watched.remove(end)
        elif end == terminal:
            os.write(sys.stdout.fileno(), data)
        else:
            os.write(terminal, data)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) % 256)
