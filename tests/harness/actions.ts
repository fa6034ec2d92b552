import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Server as NetServer } from 'node:net';

export interface ActionRequest {
  path: string;
  headers: IncomingHttpHeaders;
  raw: Buffer;
  body: Record<string, unknown>;
}
export interface ActionAnswer {
  status?: number;
  contentType?: string;
  headers?: Record<string, string>;
  body?: string | object;
  after?: Promise<void>;
  lines?: AsyncIterable<object>;
}
export type ActionScript = (request: ActionRequest, earlier: number) => ActionAnswer;

/** The address of this machine that the service under test reaches. */
export const actionsHost = process.env.ACTIONS_HOST ?? '127.0.0.1';

/** Somebody's action server, at the one local address that the service under test may reach. */
export class ActionServer {
  readonly requests: ActionRequest[] = [];
  private readonly scripts = new Map<string, ActionScript>();

  private constructor(private readonly server: Server) {}

  /** Listens where the service under test may reach it; `own`: anywhere, for a suite that starts its own service. */
  static async start(own?: 'own'): Promise<ActionServer> {
    const ports = own ? [0] : reachablePorts();
    const server = createServer();
    const actions = new ActionServer(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks);
        const path = request.url ?? '/';
        const earlier = actions.on(path).length;
        const got: ActionRequest = {
          path,
          headers: request.headers,
          raw,
          body: bodyOf(raw, request.headers['content-type']),
        };
        actions.requests.push(got);
        const {
          status = 200,
          contentType = 'application/json',
          headers = {},
          body = {},
          after,
          lines,
        } = actions.scripts.get(path)?.(got, earlier) ?? { status: 404 };
        void (after ?? Promise.resolve()).then(async () => {
          if (lines) {
            response.writeHead(status, { 'content-type': 'application/x-ndjson', ...headers });
            for await (const line of lines) response.write(`${JSON.stringify(line)}\n`);
            response.end();
            return;
          }
          response
            .writeHead(status, { 'content-type': contentType, ...headers })
            .end(typeof body === 'string' ? body : JSON.stringify(body));
        });
      });
    });
    await listenOnOne(server, ports);
    return actions;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The address of a path that answers by this script. */
  at(path: string, script: ActionScript): string {
    this.scripts.set(path, script);
    return `http://${actionsHost}:${this.port}${path}`;
  }

  on(path: string): ActionRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** The ports of this machine that the service under test reaches. */
export function reachablePorts(): number[] {
  const ports = (process.env.ACTIONS_PORTS ?? process.env.ACTIONS_PORT ?? '').split(',').map(Number);
  if (!ports.every((port) => Number.isInteger(port) && port > 0))
    throw new Error(
      'ACTIONS_PORT names the port on 127.0.0.1 that the service under test may reach: run these suites with `npm test -- tests`',
    );
  return ports;
}

/** A body of JSON, or of a form. */
function bodyOf(raw: Buffer, contentType = ''): Record<string, unknown> {
  const text = raw.toString('utf8');
  if (text === '') return {};
  if (contentType.startsWith('application/x-www-form-urlencoded')) return Object.fromEntries(new URLSearchParams(text));
  return JSON.parse(text) as Record<string, unknown>;
}

/** The first port that no suite which runs at the same time has. */
export async function listenOnOne(server: NetServer, ports: readonly number[]): Promise<void> {
  for (const port of ports) {
    server.listen(port, actionsHost);
    const taken = await once(server, 'listening').then(
      () => null,
      (error: unknown) => error as Error & { code?: string },
    );
    if (taken === null) return;
    if (taken.code !== 'EADDRINUSE') throw taken;
  }
  throw new Error(`other suites listen at all of ${ports.join(', ')}`);
}
