import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

/** A port of this machine that nothing may connect to: it counts who does, and says nothing. */
export class SilentTrap {
  connections = 0;

  private constructor(private readonly server: Server) {}

  static async set(): Promise<SilentTrap> {
    const server = createServer((socket) => {
      trap.connections += 1;
      socket.destroy();
    });
    const trap = new SilentTrap(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return trap;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }
}
