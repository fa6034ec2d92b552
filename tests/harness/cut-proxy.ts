import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * Stands between a client and the service and tears connections down in the middle of answers, after as many bytes as
 * it is told to: both sides see a cut, never an end.
 */
export class CutProxy {
  cuts = 0;
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: { host: string; port: number },
    /** How many bytes the next connection's answers may have; null: all. */
    private readonly allowance: () => number | null,
  ) {
    this.server = createServer((socket) => {
      this.pipe(socket);
    });
  }

  static async before(baseUrl: string, allowance: () => number | null): Promise<CutProxy> {
    const { hostname: host, port } = new URL(baseUrl);
    const proxy = new CutProxy({ host, port: Number(port) }, allowance);
    proxy.server.listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts what is open now. */
  cutAll(): void {
    this.cuts += 1;
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pipe(client: Socket): void {
    const service = connect(this.target);
    const sockets = [client, service];
    let left = this.allowance() ?? Number.POSITIVE_INFINITY;
    const destroy = () => {
      for (const socket of sockets) {
        socket.destroy();
        this.sockets.delete(socket);
      }
    };
    for (const socket of sockets) {
      this.sockets.add(socket);
      socket.on('error', destroy);
      socket.on('close', destroy);
    }
    client.pipe(service);
    service.on('data', (bytes: Buffer) => {
      const passed = bytes.subarray(0, left);
      left -= passed.length;
      if (left > 0) {
        if (!client.write(passed)) {
          service.pause();
          client.once('drain', () => service.resume());
        }
        return;
      }
      this.cuts += 1;
      client.end(passed, destroy);
    });
  }
}
