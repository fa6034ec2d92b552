import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, LiveBus, StoreUnavailable } from '@aos/kernel';
import { minuteMs, minutesKept, type Minutes } from './minute-counts.js';
import { OwnState, type ProcessState } from './own-state.js';
import { TurnCounts } from './turn-counts.js';

/** A process notes how it is this often, and is believed for so long. */
const noteEveryMs = 5_000;
const believedMs = 30_000;
/** Counts of an organization stay for the minutes that are shown, after the last of them. */
const countsKeptMs = (minutesKept + 1) * minuteMs;

/** Keys of organizations that are remembered to be cleared. */
const clearedMax = 1_000;

const processesKey = 'overview-processes';
const countsKey = (orgId: string) => `overview-counts:${orgId}`;

type StateNote = ProcessState & { until: number };
type CountsNote = { until: number; minutes: Minutes };

/**
 * What the processes of a fleet note of themselves: how they are, kept for 30 seconds, and what they counted, kept for
 * as long as it is shown. One process alone notes nothing.
 */
@Injectable()
export class ProcessNotes implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('overview');
  private readonly field: string;
  private readonly isAlone: boolean;
  private timer: { cancel(): void } = { cancel: () => undefined };
  private noting: Promise<void> = Promise.resolve();
  private isAway = false;
  private isStopping = false;
  /** Hashes that this process has cleared of what ended processes left. */
  private readonly cleared = new Set<string>();

  constructor(
    private readonly counts: TurnCounts,
    private readonly own: OwnState,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
    ids: Ids,
    store: EventStore,
  ) {
    this.field = ids.ulid();
    this.isAlone = store.soleWriter;
  }

  onApplicationBootstrap(): void {
    if (!this.isAlone) this.noteAgain();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.isAlone) return;
    this.isStopping = true;
    this.timer.cancel();
    await this.noting;
    await this.tried(async () => {
      await this.noteCounts();
      await this.bus.dropPreview(processesKey, this.field);
    });
  }

  /** How this process and those that noted something of late are. Rejects with `StoreUnavailable`. */
  async states(): Promise<ProcessState[]> {
    return [await this.own.now(), ...(await this.others<StateNote>(processesKey))];
  }

  /** What this process and others counted of an organization. Rejects with `StoreUnavailable`. */
  async countsOf(orgId: string): Promise<Minutes[]> {
    const noted = await this.others<CountsNote>(countsKey(orgId));
    return [this.counts.of(orgId), ...noted.map(({ minutes }) => minutes)];
  }

  private noteAgain(): void {
    this.noting = this.tried(async () => {
      const state = await this.own.now();
      if (this.isStopping) return;
      await this.put<StateNote>(processesKey, { ...state, until: this.clock.now() + believedMs }, believedMs);
      await this.noteCounts();
    }).then(() => {
      if (!this.isStopping)
        this.timer = this.clock.onBeat(noteEveryMs, () => {
          this.noteAgain();
        });
    });
  }

  private async noteCounts(): Promise<void> {
    const orgIds = this.counts.takeChanged();
    try {
      const until = this.clock.now() + countsKeptMs;
      for (const orgId of orgIds)
        await this.put<CountsNote>(countsKey(orgId), { until, minutes: this.counts.of(orgId) }, countsKeptMs);
    } catch (error) {
      this.counts.giveBack(orgIds);
      throw error;
    }
  }

  private async put<Note extends { until: number }>(key: string, note: Note, keptMs: number): Promise<void> {
    if (!this.cleared.has(key)) await this.clear(key);
    await this.bus.setPreview(key, this.field, JSON.stringify(note), keptMs);
  }

  private async clear(key: string): Promise<void> {
    for (const [field, text] of await this.bus.preview(key))
      if (this.isPast(JSON.parse(text) as StateNote)) await this.bus.dropPreview(key, field);
    if (this.cleared.size >= clearedMax) this.cleared.clear();
    this.cleared.add(key);
  }

  private async others<Note extends { until: number }>(key: string): Promise<Note[]> {
    if (this.isAlone) return [];
    const notes = [...(await this.bus.preview(key))].filter(([field]) => field !== this.field);
    return notes.map(([, text]) => JSON.parse(text) as Note).filter((note) => !this.isPast(note));
  }

  private isPast({ until }: { until: number }): boolean {
    return until <= this.clock.now();
  }

  /** An outage is said once. */
  private async tried(note: () => Promise<void>): Promise<void> {
    try {
      await note();
      this.isAway = false;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.log.error(error instanceof Error ? error.stack : String(error));
      else if (!this.isAway) this.log.warn(`what this process counted is not noted: ${error.message}`);
      this.isAway = true;
    }
  }
}
