import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  Clock,
  EventStore,
  ReadStore,
  GenerationalCache,
  StoreUnavailable,
  rfc3339,
  type EventSubscription,
  type RecordedEvent,
  messageOf,
} from '@aos/kernel';
import { systemPrincipalId } from '@aos/access/published';
import { Decisions, DueTimers, serviceActor, type Actor } from '@aos/platform';
import { DefinitionStreams } from '../definition/definition-streams.js';
import { emptyTableHandler } from '../table/table.projection.js';
import { tableKind } from '../table/table.state.js';
import { tableDecider } from '../table.decider.js';
import { rowDecider } from '../row.decider.js';
import { rowDocs } from './row.projection.js';
import { rowKind } from './row.state.js';
import { RowStreams } from './row-streams.js';

/** Rows that leave in one step, and how many of them at a time. Ours. */
const stepRowsMax = 200;
const atOnce = 4;
/** Events beyond the projection's checkpoint that one look goes through. */
const tailMax = 5_000;
/** How long a table that cannot be emptied now is left alone, and for how many tables that is remembered. */
const restMs = 10_000;
const restsMax = 1_000;

/**
 * Removes the rows of deleted tables, one step at each firing of the table's timer, by an event in each row's stream: a
 * rebuild leaves them out too. An event in the table's stream says that all are gone and ends the timer; until then the
 * next step goes on, also after a crash.
 */
@Injectable()
export class DeletedTables implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('deleted tables');
  /** The step that runs: one at a time, beside the other timers. */
  private step: Promise<void> | null = null;
  private readonly rests = new GenerationalCache<number>(restsMax);
  private closed = false;

  constructor(
    private readonly timers: DueTimers,
    private readonly rows: RowStreams,
    private readonly streams: DefinitionStreams,
    private readonly decisions: Decisions,
    private readonly store: EventStore,
    private readonly readStore: ReadStore,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(emptyTableHandler, ({ org_id: orgId, table_id: tableId }) => {
      const isResting = this.clock.monotonic() < (this.rests.get(String(tableId)) ?? 0);
      if (this.step === null && !isResting && !this.closed)
        this.step = this.take(String(orgId), String(tableId)).finally(() => {
          this.step = null;
        });
      return Promise.resolve();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    await this.step;
  }

  /** Resolves when no step runs. */
  async settled(): Promise<void> {
    await this.step;
  }

  private async take(orgId: string, tableId: string): Promise<void> {
    try {
      const actor = serviceActor(orgId, systemPrincipalId(orgId), tableId);
      const { rows, next } = await rowDocs.query(this.readStore, { scope: [orgId, tableId], limit: stepRowsMax });
      await this.drop(
        rows.map(({ key }) => key),
        actor,
      );
      // a later step looks again: rows that could not be dropped are still listed then
      if (next !== null || rows.length > 0) return;
      const late = await this.beyondCheckpoint(orgId, tableId);
      if (late === null) this.rest(tableId);
      else if ((await this.drop(late, actor)) === 0) await this.say(orgId, tableId, actor);
    } catch (error) {
      this.rest(tableId);
      this.log.warn(`${tableId}: ${messageOf(error)}`);
    }
  }

  /** Lets other tables go first. */
  private rest(tableId: string): void {
    this.rests.set(tableId, this.clock.monotonic() + restMs);
  }

  /** Gives how many rows left now. */
  private async drop(slots: readonly string[], actor: Actor): Promise<number> {
    let next = 0;
    let dropped = 0;
    const work = async (): Promise<void> => {
      while (next < slots.length && !this.closed) {
        const slot = slots[next++] ?? '';
        const { events } = await this.rows.write(rowDecider.dropRow, slot, actor, null);
        dropped += Math.sign(events.length);
        this.decisions.forget(rowKind, slot); // a finished stream takes no room in the cache
      }
    };
    const results = await Promise.allSettled(Array.from({ length: Math.min(atOnce, slots.length) }, work));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return dropped;
  }

  /**
   * Streams of the table's rows that the read model may not have yet: it may be behind, or be built again.
   *
   * Gives    null when it is too far behind to say.
   */
  private async beyondCheckpoint(orgId: string, tableId: string): Promise<string[] | null> {
    const checkpoint = await this.readStore.checkpoint(rowDocs.name, [orgId, tableId]);
    const slots = new Set<string>();
    let seen = 0;
    let subscription: EventSubscription | null = null;
    try {
      const isWhole = await new Promise<boolean>((resolve, reject) => {
        subscription = this.store.subscribe(
          {
            name: 'deleted tables',
            prefixes: [`${rowKind.category}-`],
            from: checkpoint === null || checkpoint === '' ? 'start' : checkpoint,
            onCaughtUp: () => {
              resolve(true);
            },
            onTrouble: (error) => {
              reject(new StoreUnavailable('the log broke off', { cause: error }));
            },
          },
          (events) => {
            seen += events.length;
            if (seen > tailMax) resolve(false);
            else
              for (const event of events)
                if (tableOf(event) === tableId) slots.add(event.stream.slice(rowKind.category.length + 1));
            return Promise.resolve();
          },
        );
      });
      return isWhole ? [...slots] : null;
    } finally {
      await (subscription as EventSubscription | null)?.close();
    }
  }

  private async say(orgId: string, tableId: string, actor: Actor): Promise<void> {
    const latest = await this.streams.latest(tableKind, orgId, tableId);
    if (!latest) return;
    const { kind, decide } = tableDecider.emptyTable;
    const events = decide({ at: rfc3339(this.clock.now()) }, latest, latest.revision);
    if (events.length > 0) await this.streams.writeAt(kind, tableId, actor, latest.revision, events);
  }
}

/** The table of the row that came to a stream; null for events that bring none. */
function tableOf({ data }: RecordedEvent): string | null {
  const row = (data as { row?: { table_id?: string } }).row;
  return row?.table_id ?? null;
}
