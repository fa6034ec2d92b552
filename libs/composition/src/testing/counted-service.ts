import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { startApp, type Core, type RunningApp } from '@aos/platform';
import { embeddedPorts } from '../embedded-ports.js';
import { embeddedModules } from '../embedded.js';
import { PortCounts } from './counting-ports.js';
import { transactionsIn } from './views-transactions.js';

/** Looks without any progress until the clock moves, and by how much: what goes by time would be counted too. */
const stillLooks = 10;
const stepMs = 25;
const untilMs = 60_000;
/** Below the service's folder: what its ports keep. */
const portsFolder = 'counted';

/** The embedded service over counted ports, on a clock that moves only while it is waited for. */
export class CountedService {
  private constructor(
    private readonly app: RunningApp,
    private readonly clock: ManualClock,
    private readonly counts: PortCounts,
    private readonly ownerKey: string,
    private readonly folder: string,
  ) {}

  /**
   * Takes whether this process alone writes the log, whether rows and events may gather, whether what goes by time is
   * counted, another clock, and settings.
   */
  static async start({
    alone,
    gathers = false,
    timed = false,
    clock = new ManualClock(),
    ...settings
  }: { alone: boolean; gathers?: boolean; timed?: boolean; clock?: ManualClock } & Record<
    string,
    unknown
  >): Promise<CountedService> {
    const folder = mkdtempSync(join(tmpdir(), 'counts-'));
    const ownerKey = `counts_owner_${randomBytes(24).toString('hex')}`;
    const counts = new PortCounts();
    const modules = async (core: Core) => {
      const ports = await embeddedPorts({
        ...core,
        settings: { ...core.settings, dataDir: join(folder, portsFolder) },
      });
      core.closers.push(() => ports.close());
      return embeddedModules(core, counts.of(ports, { alone, gathers, timed }));
    };
    const app = await startApp('embedded', modules, {
      clock,
      graceMs: 200,
      env: {
        SVC_PORT: '0',
        SVC_DATA_DIR: join(folder, 'service'),
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
        SVC_LOG_LEVEL: 'silent',
        SVC_BOOTSTRAP_ORG: 'Counts',
        SVC_BOOTSTRAP_OWNER_KEY: ownerKey,
        ...(settings as Record<string, string>),
      },
    });
    return new CountedService(app, clock, counts, ownerKey, folder);
  }

  async stop(): Promise<void> {
    await this.app.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async call(method: string, path: string, body?: unknown): Promise<JsonObject> {
    return JSON.parse(await (await this.answer(method, path, body)).text()) as JsonObject;
  }

  /** Opens an event stream that stays; gives how it is left. */
  async watch(path: string): Promise<() => Promise<void>> {
    const { body } = await this.answer('GET', path, undefined, 'text/event-stream');
    const reader = body?.getReader();
    if (reader === undefined) throw new Error(`${path}: no body`);
    await reader.read();
    return () => reader.cancel();
  }

  /** Opens an event stream that stays; gives the text that has come, and how it is left. */
  async follow(path: string): Promise<{ text(): string; leave(): Promise<void> }> {
    const { body } = await this.answer('GET', path, undefined, 'text/event-stream');
    if (!body) throw new Error(`${path}: no body`);
    const left = new AbortController();
    let text = '';
    const decoder = new TextDecoder();
    const read = body
      .pipeTo(
        new WritableStream({
          write: (chunk: Uint8Array) => {
            text += decoder.decode(chunk, { stream: true });
          },
        }),
        { signal: left.signal },
      )
      .catch((error: unknown) => {
        if (!left.signal.aborted) throw error;
      });
    return {
      text: () => text,
      leave: () => {
        left.abort();
        return read;
      },
    };
  }

  /** Starts a turn and reads its stream to the end. */
  async streamed(path: string, body: unknown): Promise<string> {
    return (await this.answer('POST', path, body, 'text/event-stream')).text();
  }

  /** What each of `times` calls of `work` asked of the ports, with all that followed from it. */
  async counted(
    times: number,
    work: (index: number) => Promise<unknown>,
    settling: { withOpenTurns?: boolean } = {},
  ): Promise<Record<string, number>> {
    await this.settled(settling);
    this.counts.take();
    for (let index = 0; index < times; index += 1) {
      await work(index);
      await this.settled(settling);
    }
    return this.taken(times);
  }

  /** The counts since the last time, for each of so many, to one decimal. */
  taken(times: number): Record<string, number> {
    const counts = [...this.counts.take()].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(counts.map(([kind, count]) => [kind, Math.round((count / times) * 10) / 10]));
  }

  /** On the clock of the service. */
  get elapsedMs(): number {
    return this.clock.monotonic();
  }

  pass(ms: number): void {
    this.clock.advance(ms);
  }

  /** How many transactions the journal of the views has, which begins anew only after thousands of pages. */
  get viewsTransactions(): number {
    return transactionsIn(join(this.folder, portsFolder, 'views.db-wal'));
  }

  /** Resolves when nothing is left to be done and nothing was counted since the look before. */
  async settled(settling: { withOpenTurns?: boolean } = {}): Promise<void> {
    let [before, still] = [-1, 0];
    await eventually(
      'nothing left to do',
      () => {
        const { total } = this.counts;
        still = total === before ? still + 1 : 0;
        before = total;
        if (still > 0 && this.counts.isSettled(settling)) return true;
        if (still > 0 && still % stillLooks === 0) this.clock.advance(stepMs);
        return false;
      },
      untilMs,
    );
  }

  private async answer(method: string, path: string, body?: unknown, accept = 'application/json'): Promise<Response> {
    const response = await fetch(`${this.app.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.ownerKey}`, 'content-type': 'application/json', accept },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
