import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal, StoreUnavailable } from '@aos/kernel';
import { Settings } from '@aos/platform';
import { OperatorCommands } from './operator-commands.js';
import { askBytesMax, operatorSocketPath, parseAsk, type OperatorAnswer } from './operator-wire.js';

const connectionsMax = 16;
const idleMs = 30_000;

/**
 * Operator endpoint of a running service: a local socket that only the owner of the process can open (mode 0600).
 *
 * Only one process uses a data directory at a time, so a socket file that already exists is left over and is replaced.
 */
@Injectable()
export class OperatorSocket implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('operator');
  private readonly connections = new Set<Socket>();
  private readonly path: string;
  private server: Server | null = null;

  constructor(
    private readonly commands: OperatorCommands,
    @Inject(Settings) settings: Settings,
  ) {
    this.path = operatorSocketPath(settings.dataDir);
  }

  async onApplicationBootstrap(): Promise<void> {
    rmSync(this.path, { force: true });
    const server = createServer((connection) => {
      this.serve(connection);
    });
    server.maxConnections = connectionsMax;
    const before = process.umask(0o177);
    try {
      await new Promise<void>((listening, failed) => {
        server.once('error', failed);
        server.listen(this.path, () => {
          server.off('error', failed);
          listening();
        });
      });
    } finally {
      process.umask(before);
    }
    chmodSync(this.path, 0o600);
    server.on('error', (error) => {
      this.logger.warn(error.message);
    });
    this.server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = null;
    for (const connection of this.connections) connection.destroy();
    await new Promise<void>((closed) => {
      server.close(() => {
        closed();
      });
    });
  }

  private serve(connection: Socket): void {
    this.connections.add(connection);
    let text = '';
    let answering = false;
    connection.setEncoding('utf8');
    connection.setTimeout(idleMs, () => {
      if (!answering) connection.destroy();
    });
    connection.on('error', (error) => {
      this.logger.warn(error.message);
    });
    connection.on('close', () => this.connections.delete(connection));
    connection.on('data', (chunk: string) => {
      if (answering) return; // one request for each connection
      text += chunk;
      const end = text.indexOf('\n');
      if (end < 0 && text.length <= askBytesMax) return;
      answering = true;
      this.answer(end < 0 ? '' : text.slice(0, end)).then(
        (answer) => connection.end(`${JSON.stringify(answer)}\n`),
        (error: unknown) => {
          connection.destroy(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  private async answer(line: string): Promise<OperatorAnswer> {
    const ask = parseAsk(line);
    if (!ask) return { ok: false, code: 'bad_request', message: 'not an operator request', details: {} };
    return operatorAnswer(this.commands, ask.words, ask.options);
  }
}

/** Runs a command and turns its refusal into an answer; other errors are thrown on. */
export async function operatorAnswer(
  commands: OperatorCommands,
  words: readonly string[],
  options: Readonly<Record<string, string>>,
): Promise<OperatorAnswer> {
  try {
    return { ok: true, result: await commands.run(words, options) };
  } catch (error) {
    if (error instanceof Refusal)
      return { ok: false, code: error.code, message: error.message, details: error.details };
    if (error instanceof StoreUnavailable)
      return { ok: false, code: 'service_unavailable', message: error.message, details: {} };
    throw error;
  }
}
