import { LiveBus, type BusSubscription, type Json, type JsonObject } from '@aos/kernel';
import { CountingIds, ManualClock, viewerOf } from '@aos/kernel/testing';
import { MemoryBlobs, MemoryEventStore, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import { CursorSeal, Decisions, KeyRing, Payloads, WriterProjections, serviceActor } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import { AgentDirectory, Claims, DefinitionStreams } from '@aos/definitions/published';
import {
  SessionCursors,
  SessionDirectory,
  SessionWatches,
  TranscriptFragments,
  TurnReader,
  sessionKind,
  type SessionEvent,
} from '@aos/sessions/published';
import { LiveBusChangeNotifier } from '../feed/change-notifier.js';
import { FeedStarter } from '../feed/feed-starter.js';
import { SessionFeeds, type WatchOptions } from '../feed/session-feeds.js';
import { SessionLog } from '../feed/session-log.js';
import type { FrameSink } from '../feed/viewer.js';
import { FragmentPages } from '../transcript/fragment-pages.js';
import { PageTokens } from '../transcript/page-token.js';
import { SnapshotPages } from '../transcript/snapshot-pages.js';
import { TranscriptQueries, type SnapshotRange } from '../transcript/transcript.queries.js';

export const orgId = 'org_00000000000000000000000001';
export const agentId = 'agent_00000000000000000000000001';
export const sessionId = 'ses_00000000000000000000000001';

export const reader = viewerOf(orgId);

/** A live bus that a test can break, and whose notifications it can lose, repeat and reorder. */
export class FickleBus extends LiveBus {
  override healthy = true;
  private readonly listeners: ((healthy: boolean) => void)[] = [];
  /** What becomes of a message: how often and in which order it arrives is the test's business. */
  passes: (channel: string, message: Json) => Json[] = (_channel, message) => [message];

  constructor(private readonly inner: MemoryLiveBus) {
    super();
  }

  setHealthy(healthy: boolean): void {
    this.healthy = healthy;
    for (const listener of this.listeners) listener(healthy);
  }

  override publish(channel: string, message: Json): void {
    if (!this.healthy) return;
    for (const passed of this.passes(channel, message)) this.inner.publish(channel, passed);
  }

  override async deliver(channel: string, message: Json): Promise<void> {
    this.publish(channel, message);
  }
  override subscribe(channel: string, handler: (message: Json) => void): BusSubscription {
    return this.inner.subscribe(channel, handler);
  }
  override setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void> {
    return this.inner.setPreview(key, field, value, ttlMs);
  }
  override preview(key: string): Promise<Map<string, string>> {
    return this.inner.preview(key);
  }
  override dropPreview(key: string, field?: string): Promise<void> {
    return this.inner.dropPreview(key, field);
  }
  override onHealth(listener: (healthy: boolean) => void): void {
    this.listeners.push(listener);
  }
  override close(): Promise<void> {
    return this.inner.close();
  }
}

export interface SeenFrame {
  id: string | undefined;
  event: string;
  data: JsonObject;
}

/** A reader that keeps what it was sent, and stops taking bytes when told to. */
export class TestSink implements FrameSink {
  isOpen = true;
  isReady = true;
  ended = false;
  private text = '';
  private taken = '';
  private release: (() => void) | null = null;
  private waiting: Promise<void> | null = null;

  write(bytes: Buffer): boolean {
    if (this.ended || !this.isOpen) return false;
    this.text += bytes.toString();
    return this.isReady;
  }

  /** From now on nothing is taken, until `resume`. */
  block(): void {
    this.isReady = false;
    this.waiting = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  resume(): void {
    this.isReady = this.isOpen;
    this.release?.();
    this.waiting = null;
  }

  drained(): Promise<void> {
    return this.waiting ?? Promise.resolve();
  }
  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.isOpen = false;
    this.isReady = false;
    this.release?.();
  }

  /** All bytes. */
  get raw(): string {
    return this.text;
  }

  get frames(): SeenFrame[] {
    return parseFrames(this.text);
  }

  /** Frames since the last call. */
  more(): SeenFrame[] {
    const fresh = parseFrames(this.text.slice(this.taken.length));
    this.taken = this.text;
    return fresh;
  }
}

export function parseFrames(text: string): SeenFrame[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((block) => {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      return { id: fields.id, event: String(fields.event), data: JSON.parse(String(fields.data)) as JsonObject };
    });
}

/** A writer and any number of stream processes over one log and one bus. */
export function streamsWorld() {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  const bus = new FickleBus(
    new MemoryLiveBus({
      clock,
      onTrouble: (error) => {
        throw error;
      },
    }),
  );
  const payloads = new Payloads(new MemoryBlobs());
  const ids = new CountingIds();
  const seal = new CursorSeal(new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 7) }]));
  const cursors = new SessionCursors(seal);
  const decisions = new Decisions(
    store,
    new MemorySnapshots(),
    payloads,
    bus,
    new WriterProjections(new MemoryReadStore()),
    clock,
    ids,
  );
  const log = new SessionLog(decisions);
  const pages = new SnapshotPages(log, decisions);
  const definitions = new DefinitionStreams(decisions, payloads);
  const directory = new SessionDirectory(
    decisions,
    new OrganizationSalts(decisions),
    new AgentDirectory(definitions, new Claims(definitions, clock, ids)),
  );
  const transcripts = (fragments: FragmentPages) =>
    new TranscriptQueries(directory, fragments, pages, cursors, new PageTokens(seal), bus, clock);
  const fragments = new FragmentPages(new TranscriptFragments(decisions));
  const kept = transcripts(fragments);
  const notifier = new LiveBusChangeNotifier(bus);
  const watches = new SessionWatches(bus, clock);
  const starter = new FeedStarter(decisions, log, bus, notifier, watches, clock);
  const feeds = new SessionFeeds(starter, store, notifier, clock, cursors);

  return {
    clock,
    store,
    bus,
    decisions,
    cursors,
    watches,
    feeds,
    log,
    pages,
    directory,
    turns: new TurnReader(decisions),

    /** Appends events, as one append. */
    async append(...events: SessionEvent[]): Promise<number> {
      return (await decisions.run(sessionKind, sessionId, serviceActor(orgId, 'svc_1', 'test'), () => events)).revision;
    },

    /** A reader from a revision on. */
    async watch(
      options: Pick<WatchOptions, 'protocol' | 'after'> & Partial<WatchOptions>,
    ): Promise<{ sink: TestSink; leave: () => void }> {
      const sink = new TestSink();
      const watcher = await feeds.use(sessionId, (feed) =>
        feeds.view(feed, { sink, who: reader, mayRead: async () => true, ...options }),
      );
      const leave = () => {
        feeds.leave(watcher);
      };
      return { sink, leave };
    },

    async snapshot(range: SnapshotRange = {}): Promise<JsonObject> {
      return JSON.parse(await kept.get(reader, sessionId, range)) as JsonObject;
    },

    /** Pages as text: from fragments, and from the stream alone. `anew` has nothing kept. */
    texts: {
      kept: (range: SnapshotRange) => kept.get(reader, sessionId, range),
      anew: () => {
        const fresh = transcripts(new FragmentPages(new TranscriptFragments(decisions)));
        return (range: SnapshotRange) => fresh.get(reader, sessionId, range);
      },
      read: (range: SnapshotRange) => transcripts(noFragments).get(reader, sessionId, range),
    },
    fragments,
  };
}

const noFragments = { back: () => Promise.resolve(null) } as unknown as FragmentPages;

export type StreamsWorld = ReturnType<typeof streamsWorld>;
