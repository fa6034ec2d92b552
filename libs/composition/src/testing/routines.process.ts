import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DynamicModule } from '@nestjs/common';
import { AccessModule, Organizations } from '@aos/access';
import { ArtifactsModule } from '@aos/artifacts';
import {
  MemoryBlobs,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { GuardedEgress } from '@aos/adapters/egress';
import { CompositeModelProvider } from '@aos/adapters/models';
import { SystemIds } from '@aos/adapters/system';
import { DefinitionsModule } from '@aos/definitions';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { startApp, type RunningApp } from '@aos/platform';
import { RoutineOccurrencesModule, RoutinesModule } from '@aos/routines';
import { SessionsModule } from '@aos/sessions';
import { StreamsModule } from '@aos/streams';
import { ToolsModule } from '@aos/tools';
import { portsModule } from '../ports.module.js';

export type Body = Record<string, unknown> & { id: string; items?: Body[] };

/** Processes over the same stores: all routines in each of them, on a clock that tests move. */
export class RoutinesWorld {
  readonly clock: ManualClock;
  readonly store: MemoryEventStore;
  private readonly readStore = new MemoryReadStore();
  private readonly blobs = new MemoryBlobs();
  private readonly leases: MemoryLeases;
  private readonly apps: RunningApp[] = [];
  private owner = '';

  constructor(startsAt: string) {
    this.clock = new ManualClock(Date.parse(startsAt));
    this.store = new MemoryEventStore({ clock: this.clock, soleWriter: false });
    this.leases = new MemoryLeases(this.clock);
  }

  /** One more process. */
  async start(): Promise<void> {
    const app = await startApp(
      'embedded',
      [
        this.ports(),
        AccessModule,
        DefinitionsModule,
        SessionsModule,
        ToolsModule,
        ArtifactsModule,
        StreamsModule,
        RoutinesModule,
        RoutineOccurrencesModule,
      ],
      {
        clock: this.clock,
        graceMs: 200,
        env: {
          SVC_PORT: '0',
          SVC_DATA_DIR: mkdtempSync(join(tmpdir(), 'svc-')),
          SVC_RATE_LIMIT_KEY_RPM: '0',
          SVC_RATE_LIMIT_ORG_RPM: '0',
          SVC_LOG_LEVEL: 'silent',
        },
      },
    );
    this.apps.push(app);
    await app.nest.get(Organizations, { strict: false }).ensureFirst({}, (made) => {
      this.owner = made.ownerKey;
    });
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.stop()));
    this.apps.length = 0;
  }

  /** Waits for what is there or null, while the polls of timers come by. */
  async until<T>(what: string, holds: () => Promise<T | null>): Promise<T> {
    const found = await eventually(what, async () => {
      this.clock.advance(250);
      const value = await holds();
      return value === null ? null : { value };
    });
    if (!found) throw new Error(what);
    return found.value;
  }

  async call(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.ask(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** As `call`, at any process, with any key and any answer. */
  async ask(
    method: string,
    path: string,
    { body, key = this.owner, process = 0 }: { body?: unknown; key?: string; process?: number } = {},
  ): Promise<{ status: number; body: Body }> {
    const response = await fetch(`${this.apps[process]?.url ?? ''}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Body };
  }

  private ports(): DynamicModule {
    const { clock } = this;
    return portsModule({
      eventStore: this.store,
      readStore: this.readStore,
      snapshots: new MemorySnapshots(),
      leases: this.leases,
      blobs: this.blobs,
      ids: new SystemIds(),
      liveBus: new MemoryLiveBus({
        clock,
        onTrouble: (fault) => {
          throw fault;
        },
      }),
      models: new CompositeModelProvider({ scripted: true, env: {} }, { clock }),
      egress: new GuardedEgress({ clock, allow: [] }),
      close: () => Promise.resolve(),
    });
  }
}
