import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule, Provider } from '@nestjs/common';
import { AccessModule, Organizations } from '@aos/access';
import { GuardedEgress } from '@aos/adapters/egress';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { CompositeModelProvider } from '@aos/adapters/models';
import { SystemIds } from '@aos/adapters/system';
import { DefinitionsModule } from '@aos/definitions';
import {
  Blobs,
  Clock,
  CommandGateway,
  Egress,
  EventStore,
  Ids,
  Leases,
  LiveBus,
  ModelProvider,
  ReadStore,
  Snapshots,
} from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import {
  RoutedCommands,
  CommandSender,
  Decisions,
  DocumentTexts,
  DueTimers,
  LocalCommandGateway,
  Payloads,
  OwnProjections,
  OwnStreams,
  Ownership,
  Projectors,
  ReleaseWrites,
  RoutedCommandsExplorer,
  WriterProjections,
  startApp,
  type RunningApp,
} from '@aos/platform';
import { SessionsModule } from '@aos/sessions';
import { Toolbox, type Dispatched } from '@aos/sessions/published';
import { StreamsModule } from '@aos/streams';
import { InteractionAdministrationModule, InteractionOutcomesModule, InteractionsModule } from '../index.js';

export interface Answer {
  status: number;
  body: Record<string, unknown> & {
    error?: { code: string; message: string; details?: Record<string, unknown> };
    items?: Record<string, unknown>[];
  };
}

class PortsModule {}

const noSuchTool = { status: 'error', content: 'There is no such tool.', is_error: true } as const;

/** Grants nothing. */
class NoTools extends Toolbox {
  override tools(): Promise<[]> {
    return Promise.resolve([]);
  }

  override resolve(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override dispatch(): Promise<Dispatched> {
    return Promise.resolve({ outcome: noSuchTool });
  }

  override job(): Promise<typeof noSuchTool> {
    return Promise.resolve(noSuchTool);
  }
}

/** As `eventually`, for what is there or null. */
export async function until<T>(what: string, holds: () => Promise<T | null>): Promise<T> {
  const found = await eventually(what, async () => {
    const value = await holds();
    return value === null ? null : { value };
  });
  if (!found) throw new Error(what);
  return found.value;
}

/** The stores that outlive a process; a process over them is started, killed and started again. */
export class InteractionsWorld {
  readonly clock = new ManualClock(Date.UTC(2026, 5, 1));
  readonly store = new MemoryEventStore({ clock: this.clock });
  readonly readStore = new MemoryReadStore();
  readonly blobs = new MemoryBlobs();
  private readonly dataDir = mkdtempSync(join(tmpdir(), 'svc-'));
  app: RunningApp | null = null;
  owner = '';

  constructor(private readonly egressAllow: readonly string[] = []) {}

  async start(): Promise<void> {
    this.app = await startApp(
      'embedded',
      [
        this.ports(),
        AccessModule,
        DefinitionsModule,
        SessionsModule,
        StreamsModule,
        InteractionsModule,
        InteractionOutcomesModule,
        InteractionAdministrationModule,
      ],
      {
        clock: this.clock,
        graceMs: 200,
        env: {
          SVC_PORT: '0',
          SVC_DATA_DIR: this.dataDir,
          SVC_RATE_LIMIT_KEY_RPM: '0',
          SVC_RATE_LIMIT_ORG_RPM: '0',
          SVC_LOG_LEVEL: 'silent',
        },
      },
    );
    await this.app.nest.get(Organizations, { strict: false }).ensureFirst({}, (made) => {
      this.owner = made.ownerKey;
    });
  }

  async stop(): Promise<void> {
    await this.app?.stop();
    this.app = null;
  }

  /** Lets the poll of timers come by, and what it began get where it can. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  async call(method: string, path: string, body?: unknown, key = this.owner): Promise<Answer> {
    const response = await fetch(`${this.app?.url ?? ''}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Answer['body'] };
  }

  async made(path: string, body: unknown, key?: string): Promise<Record<string, unknown> & { id: string }> {
    const answer = await this.call('POST', path, body, key);
    if (answer.status >= 300) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as Record<string, unknown> & { id: string };
  }

  async person(name: string): Promise<{ id: string; key: string }> {
    const roles = (await this.call('GET', '/v1/roles')).body.items ?? [];
    const { id } = await this.made('/v1/principals', {
      name,
      kind: 'human',
      role_ids: [roles.find((role) => role.name === 'User')?.id],
    });
    const { key } = await this.made('/v1/api-keys', { name: `${name}-key`, principal_id: id });
    return { id, key: String(key) };
  }

  private ports(): DynamicModule {
    const { clock } = this;
    const values: [unknown, unknown][] = [
      [EventStore, this.store],
      [ReadStore, this.readStore],
      [Blobs, this.blobs],
      [Snapshots, new MemorySnapshots()],
      [Leases, new MemoryLeases(clock)],
      [
        LiveBus,
        new MemoryLiveBus({
          clock,
          onTrouble: (fault) => {
            throw fault;
          },
        }),
      ],
      [Ids, new SystemIds()],
      [Egress, new GuardedEgress({ clock, allow: this.egressAllow })],
      [Toolbox, new NoTools()],
      [Ownership, new Ownership()],
      [ModelProvider, new CompositeModelProvider({ scripted: true, env: {} }, { clock })],
    ];
    const own: Provider[] = [
      Payloads,
      WriterProjections,
      Decisions,
      ReleaseWrites,
      DocumentTexts,
      DueTimers,
      RoutedCommands,
      CommandSender,
      RoutedCommandsExplorer,
      {
        provide: CommandGateway,
        useFactory: (routed: RoutedCommands) => new LocalCommandGateway(routed),
        inject: [RoutedCommands],
      },
      {
        provide: Projectors,
        useFactory: (decisions: Decisions, writers: WriterProjections, leases: Leases, ids: Ids, time: Clock) =>
          new Projectors(
            new OwnProjections(writers, decisions, new OwnStreams()),
            this.store,
            this.readStore,
            leases,
            time,
            ids,
            { leaseSeconds: 15 },
          ),
        inject: [Decisions, WriterProjections, Leases, Ids, Clock],
      },
    ];
    const providers = [...values.map(([provide, useValue]) => ({ provide, useValue }) as Provider), ...own];
    const exports = providers.map((provider) =>
      typeof provider === 'function' ? provider : (provider as unknown as { provide: never }).provide,
    );
    return { module: PortsModule, global: true, providers, exports };
  }
}

export interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** A subscriber's server: keeps what it got and answers as it is told. */
export class Receiver {
  readonly got: Received[] = [];
  answer: (response: ServerResponse) => void = (response) => {
    response.writeHead(204).end();
  };
  private server: Server | null = null;
  port = 0;

  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
      });
      request.on('end', () => {
        this.got.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
        this.answer(response);
      });
    });
    this.server = server;
    await new Promise<void>((resolve) => {
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.port = (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    server.closeAllConnections();
    await new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
  }

  async requests(count: number): Promise<Received[]> {
    return until(`${count} requests`, () => Promise.resolve(this.got.length >= count ? this.got : null));
  }
}
