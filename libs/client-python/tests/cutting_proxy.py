"""A proxy that cuts connections at random bytes of what the service answers."""

from __future__ import annotations

import random
import socket
import threading

CUT_BYTES_MAX = 6_000
BUFFER = 65_536


class CuttingProxy:
    """Passes connections on to a port, and cuts each after a random number of bytes until enough were."""

    def __init__(self, port: int, cuts: int, seed: int) -> None:
        self._target = port
        self._left = cuts
        self._draw = random.Random(seed)
        self._lock = threading.Lock()
        self._server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._open: set[socket.socket] = set()
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}"

    def __enter__(self) -> CuttingProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
        with self._lock:
            sockets = list(self._open)
        for one in sockets:
            shut(one)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return  # the proxy is closed
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with self._lock:
            limit = self._draw.randrange(1, CUT_BYTES_MAX) if self._left > self.cuts else None
        try:
            service = socket.create_connection(("127.0.0.1", self._target), timeout=5)
        except OSError:
            client.close()
            return
        service.settimeout(None)
        with self._lock:
            self._open |= {client, service}
        back = threading.Thread(target=pump, args=(client, service, None), daemon=True)
        back.start()
        if pump(service, client, limit):
            with self._lock:
                self.cuts += 1
        for one in (client, service):
            shut(one)
        back.join()
        with self._lock:
            self._open -= {client, service}
        client.close()
        service.close()


def pump(source: socket.socket, sink: socket.socket, limit: int | None) -> bool:
    """Passes bytes on until either side ends; gives whether the limit was reached."""
    passed = 0
    try:
        while chunk := source.recv(BUFFER):
            allowed = chunk if limit is None else chunk[: limit - passed]
            sink.sendall(allowed)
            passed += len(allowed)
            if limit is not None and passed >= limit:
                return True
    except OSError:
        return False  # one of both is gone
    finally:
        if limit is None:
            shut(sink)
    return False


def shut(one: socket.socket) -> None:
    try:
        one.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is shut already
