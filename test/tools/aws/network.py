"""Listens in the network of tasks, as the service and the world do in a real one.

Run in that network's namespace. Takes a JSON object as its argument:
  credentials  path under which the credentials of the task role are served, at 169.254.170.2
  role         what is served there
  port         of the loopback
  abstract     name of an abstract stream socket; with "-datagram", of one for datagrams
Prints a line when everything listens, and ends with its standard input.
"""

import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer

SAID = json.loads(sys.argv[1])


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path == SAID["credentials"]
        body = json.dumps(SAID["role"] if known else {"metadata": "of a task"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server6(ThreadingHTTPServer):
    address_family = socket.AF_INET6


class Abstract(HTTPServer):
    address_family = socket.AF_UNIX

    def server_bind(self):
        self.socket.bind(self.server_address)

    def get_request(self):
        connection, _ = self.socket.accept()
        return connection, ("", 0)


def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()


def echo(server):
    while True:
        said, sender = server.recvfrom(512)
        server.sendto(said, sender)


for address in ("169.254.170.2", "169.254.169.254"):
    serve(ThreadingHTTPServer((address, 80), Service))
for address in ("10.0.0.1", "8.8.8.8"):
    serve(ThreadingHTTPServer((address, 443), Service))
serve(ThreadingHTTPServer(("127.0.0.1", SAID["port"]), Service))
for address in ("::1", "fd00:ec2::254"):
    serve(Server6((address, 80), Service))
serve(Abstract("\0" + SAID["abstract"], Service))
datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
datagrams.bind("\0" + SAID["abstract"] + "-datagram")
names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.53", 53))
threading.Thread(target=echo, args=(names,), daemon=True).start()
print("listening", flush=True)
sys.stdin.read()
