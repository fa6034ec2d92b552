import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEvent } from '@aos/kernel';
import { randomUUID } from 'node:crypto';
import { EventStoreDbEventStore } from '../event-store.js';
import type { EventStoreDbOptions } from '../settings.js';
import { ProtocolServer } from '@aos/eventstore-twin';

/**
 * One try is short, so that a spec about trouble does not wait as production does; the budget is long, so that a busy
 * machine passes.
 */
export const quick = { attemptMs: 300, budgetMs: 10_000, resumePauseMaxMs: 100 };
/** For specs in which no server answers. */
export const givingUp = { attemptMs: 200, budgetMs: 1000, resumePauseMaxMs: 100 };

/** A protocol server on a folder of its own and a store on it; the server can die and come back. */
export class ServedStore {
  private readonly folder = mkdtempSync(join(tmpdir(), 'protocol-server-'));
  server: ProtocolServer = new ProtocolServer({ folder: this.folder });
  private opened: EventStoreDbEventStore | undefined;

  static async start(times: Omit<EventStoreDbOptions, 'url'> = quick): Promise<ServedStore> {
    const served = new ServedStore();
    const url = await served.server.listen();
    served.opened = new EventStoreDbEventStore({ url, ...times });
    return served;
  }

  get store(): EventStoreDbEventStore {
    if (!this.opened) throw new Error('not started');
    return this.opened;
  }

  /** A new store in place of the old one. */
  async reopen(times: Omit<EventStoreDbOptions, 'url'> = quick): Promise<EventStoreDbEventStore> {
    await this.opened?.close();
    this.opened = new EventStoreDbEventStore({ url: this.server.url, ...times });
    return this.opened;
  }

  async restart(): Promise<void> {
    const { port } = this.server;
    this.server.close();
    this.server = new ProtocolServer({ folder: this.folder, port });
    await this.server.listen();
  }

  async stop(): Promise<void> {
    await this.store.close();
    this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function happened(n: number, text = ''): NewEvent {
  return { id: randomUUID(), type: 'ThingHappened', data: { n, text }, meta: { org_id: 'org_1' } };
}
