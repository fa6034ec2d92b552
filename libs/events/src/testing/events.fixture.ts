import { rfc3339, type Clock, type JsonObject, type Leases, type NewEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import {
  MemoryBlobs,
  MemoryEventLog,
  MemoryEventStore,
  MemoryLeases,
  MemoryLiveBus,
  MemoryReadStore,
  MemorySnapshots,
} from '@aos/adapters/memory';
import { SystemIds } from '@aos/adapters/system';
import {
  CursorSeal,
  Decisions,
  KeyRing,
  Payloads,
  Reactors,
  Readiness,
  WriterProjections,
  loadSettings,
} from '@aos/platform';
import { PresentSessions, type Row, type SessionOpening } from '@aos/sessions/published';
import { EventFeed } from '../feed/event-feed.js';
import { FeedProjector } from '../feed/feed-projector.js';
import { PublicEvents } from '../publishing/public-events.js';
import { publishers } from '../publishing/publishers.js';

export const orgA = 'org_0000000000000000000000000a';
export const orgB = 'org_0000000000000000000000000b';
export const agentId = 'agent_00000000000000000000000001';

export function opening(id: string, orgId: string, change: Partial<SessionOpening> = {}): SessionOpening {
  return {
    id,
    org_id: orgId,
    agent_id: agentId,
    session_key: 'main',
    owner: { kind: 'team', id: null },
    visibility: 'organization',
    title: '',
    origin: 'api',
    compaction_policy: { strategy: 'auto' },
    created_by: 'svc_1',
    created_at: '2026-01-01T00:00:00.000Z',
    ...change,
  };
}

export function row(id: string, sequence: number, change: Partial<Row> = {}): Row {
  return {
    id,
    role: 'user',
    content: [{ type: 'text', text: `row ${sequence}` }],
    entry_type: 'message',
    sequence,
    turn_id: null,
    turn_index: null,
    created_at: '2026-01-01T00:00:01.000Z',
    ...change,
  };
}

/** Writes sessions straight to a log, with ids and stamps that a repeat of the test gives again. */
export class SessionWriter {
  private readonly revisions = new Map<string, number>();
  private count = 0;

  constructor(
    private readonly store: MemoryEventStore,
    private readonly clock: Clock,
  ) {}

  async open(sessionId: string, orgId: string, change: Partial<SessionOpening> = {}): Promise<void> {
    await this.append(sessionId, orgId, 'SessionOpened', {
      session: opening(sessionId, orgId, change) as unknown as JsonObject,
    });
  }

  async say(sessionId: string, orgId: string, change: Partial<Row> = {}): Promise<void> {
    const sequence = (this.revisions.get(sessionId) ?? 0) + 1;
    await this.append(sessionId, orgId, 'MessageAppended', {
      row: row(`msg_${sessionId}${sequence}`, sequence, change) as unknown as JsonObject,
    });
  }

  async append(
    sessionId: string,
    orgId: string,
    type: string,
    data: JsonObject,
    meta: Record<string, string> = {},
  ): Promise<void> {
    this.count += 1;
    const known = this.revisions.get(sessionId);
    const event: NewEvent = {
      id: `00000000-0000-4000-8000-${String(this.count).padStart(12, '0')}`,
      type,
      data,
      meta: { schema_version: '1', org_id: orgId, recorded_at: rfc3339(this.clock.now()), ...meta },
    };
    const { revision } = await this.store.append(`session-${sessionId}`, known ?? 'none', [event]);
    this.revisions.set(sessionId, revision);
  }
}

/** A log, its way out and its feed, in memory. */
export function eventsWorld() {
  const clock = new ManualClock();
  const store = new MemoryEventStore({ clock });
  const readStore = new MemoryReadStore();
  const leases = new MemoryLeases(clock);
  const bus = new MemoryLiveBus({
    clock,
    onTrouble: (error) => {
      throw error;
    },
  });
  const ids = new SystemIds();
  const eventLog = new MemoryEventLog(clock);
  const payloads = new Payloads(new MemoryBlobs());
  const seal = new CursorSeal(new KeyRing([{ keyId: 'k1', secret: Buffer.alloc(32, 7) }]));
  const publicEvents = () => {
    const events = new PublicEvents(store, payloads);
    events.register(...publishers);
    return events;
  };
  const readiness = new Readiness();
  const reactors = (their: Leases) => new Reactors(store, their, clock, ids, loadSettings({}, 'embedded'), readiness);
  return {
    clock,
    store,
    readStore,
    leases,
    bus,
    ids,
    eventLog,
    payloads,
    readiness,
    publicEvents,
    sessions: new SessionWriter(store, clock),
    relayParts: { store, eventLog, reactors: reactors(leases), clock },
    reactors,
    projector: (rows = readStore, retentionDays = 30) =>
      new FeedProjector({
        store,
        readStore: rows,
        events: publicEvents(),
        leases,
        bus,
        clock,
        owner: ids.ulid(),
        leaseMs: 15_000,
        retentionDays,
      }),
    feed: (rows = readStore) => new EventFeed(rows, seal),
    presentSessions: (rows = readStore) =>
      new PresentSessions(
        rows,
        new Decisions(store, new MemorySnapshots(), payloads, bus, new WriterProjections(rows), clock, ids),
        clock,
      ),
  };
}

export type EventsWorld = ReturnType<typeof eventsWorld>;
