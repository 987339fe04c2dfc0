"""A room in which every probe may succeed: all of root's rights, nothing of the machine to spoil.

Started by `unshare` in new mount, pid, ipc, uts and network namespaces. Takes a world and the command
to run from its arguments; whatever the world names is reachable in here too.
"""

import json
import os
import socket
import subprocess
import sys
import threading

WORLD = json.loads(sys.argv[1])
ADDRESSES = ("169.254.169.254/32", "169.254.170.2/32", "10.0.0.1/32", "8.8.8.8/32", "127.0.0.53/8")


def shell(*argv):
    subprocess.run(argv, check=True)


def listen(family, address):
    server = socket.socket(family, socket.SOCK_STREAM)
    server.bind(address)
    server.listen()
    threading.Thread(target=serve, args=(server,), daemon=True).start()


def serve(server):
    while True:
        connection, _ = server.accept()
        connection.settimeout(0.2)
        try:
            connection.recv(512)
        except OSError:
            pass  # It says nothing; it is answered all the same.
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        except OSError:
            pass  # It has hung up; the next one is served.
        connection.close()


def answer(server):
    while True:
        said, sender = server.recvfrom(512)
        server.sendto(said, sender)


# Its interpreter may be in one of the folders that are hidden next, as in a checkout below /tmp.
interpreter, *rest = sys.argv[2:]
shell("mount", "--bind", os.path.dirname(interpreter), "/srv")
command = [os.path.join("/srv", os.path.basename(interpreter)), *rest]
for folder in ("/tmp", "/dev/shm", "/opt", "/run"):
    shell("mount", "-t", "tmpfs", "-o", "size=400m", "none", folder)
os.makedirs("/dev/mqueue", exist_ok=True)
shell("mount", "-t", "mqueue", "none", "/dev/mqueue")
shell("ip", "link", "set", "lo", "up")
for one in ADDRESSES:
    shell("ip", "address", "add", one, "dev", "lo")
shell("ip", "-6", "address", "add", "fd00:ec2::254/128", "dev", "lo", "nodad")
with open("/proc/sys/net/ipv4/ping_group_range", "w") as file:
    file.write("0 2147483647")
for folder in ("/run/containerd", "/run/timeloom", "/opt/timeloom/inputs"):
    os.makedirs(folder)
for path in (WORLD["neighbour"], "/opt/timeloom/executor/harness.py"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    open(path, "w").close()
if not os.path.exists(WORLD["source"]):  # A checkout below /tmp is hidden by now.
    os.makedirs(os.path.join(WORLD["source"], "engine"))
for port in {80, 443, WORLD["port"]}:
    listen(socket.AF_INET, ("0.0.0.0", port))
for address in ("::1", "fd00:ec2::254"):
    listen(socket.AF_INET6, (address, 80))
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.53", 53))
threading.Thread(target=answer, args=(names,), daemon=True).start()
listen(socket.AF_UNIX, "\0" + WORLD["abstract"])
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind("\0" + WORLD["abstract"] + "-datagram")
listen(socket.AF_UNIX, "/run/timeloom/supervisor.sock")
for _ in range(8):  # Neighbours, some of whom will be killed.
    subprocess.Popen(["sleep", "120"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
given = sys.stdin.buffer.read()
sys.exit(subprocess.run(command, input=given, pass_fds=[datagrams.fileno()]).returncode)
