import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Far more than the spans of one suite. */
const bytesMax = 256 * 1024 * 1024;

/** Stands for an OpenTelemetry collector: takes OTLP over HTTP and keeps what it was sent. */
export class TraceSink {
  private readonly chunks: Buffer[] = [];
  private size = 0;

  private constructor(private readonly server: Server) {}

  /** Takes the port that the service under test sends its spans to; 0: any, for a suite that starts its own. */
  static async start(port = 0): Promise<TraceSink> {
    const server = createServer();
    const sink = new TraceSink(server);
    server.on('request', (request, response) => {
      request.on('data', (chunk: Buffer) => sink.keep(chunk));
      request.on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return sink;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** All that came so far, as it stood on the wire. */
  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private keep(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > bytesMax) throw new Error(`over ${bytesMax} bytes of spans`);
    this.chunks.push(chunk);
  }
}
