import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '../../libs/adapters/eventstoredb/src/testing/self-signed.js';

/** A proxy that ends TLS before the service, with a certificate that only tabs opened `through` it take. */
export class TlsFront {
  private constructor(private readonly server: Server) {}

  static async start(baseUrl: string): Promise<TlsFront> {
    const server = createServer(selfSigned(), (asked, answer) => {
      const headers = { ...asked.headers, host: new URL(baseUrl).host };
      const sent = request(new URL(asked.url ?? '/', baseUrl), { method: asked.method, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      });
      sent.on('error', () => answer.destroy());
      answer.on('close', () => sent.destroy());
      asked.pipe(sent);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TlsFront(server);
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
