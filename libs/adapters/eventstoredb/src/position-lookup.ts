import type { Position } from '@aos/kernel';
import type { AppendResult, Position as LogPosition } from '@eventstore/db-client';
import { positionText } from './position.js';
import type { Reader } from './reader.js';
import { recordedEvent } from './recorded.js';

/**
 * Others append between ours: so many more events are looked at than were asked for, doubled when that was too few,
 * else shrinking.
 */
const slackMin = 2;
const slackMax = 256;
const slackShrink = 0.9;
const wantedMax = 512;

interface Wanted {
  stream: string;
  /** Revision of the first event. */
  first: number;
  count: number;
  last: LogPosition;
  resolve: (positions: Position[] | null) => void;
  reject: (error: unknown) => void;
}

/**
 * The server answers an append with the position of its last event alone. This finds the others': one look back in the
 * log for all appends that ask meanwhile, and a read of the stream for what was not seen there.
 */
export class PositionLookup {
  private waiting: Wanted[] = [];
  private looking = false;
  private slack = slackMin;

  constructor(private readonly reader: Reader) {}

  /** Positions of an append's events, in order. Those that truncation hides already are given as the last one's. */
  async of(stream: string, first: number, count: number, { position }: AppendResult): Promise<Position[]> {
    const found =
      position && (count === 1 ? [positionText(position)] : await this.lookBack(stream, first, count, position));
    return found ?? this.fromStream(stream, first, count, position);
  }

  private lookBack(stream: string, first: number, count: number, last: LogPosition): Promise<Position[] | null> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ stream, first, count, last, resolve, reject });
      if (this.looking) return;
      this.looking = true;
      setImmediate(() => {
        void this.look();
      });
    });
  }

  /** Runs until no lookup is waiting; never rejects, because each fault goes to the lookups that it concerns. */
  private async look(): Promise<void> {
    while (this.waiting.length > 0) {
      const wanted = this.takeSome();
      try {
        this.answer(wanted, await this.lookFor(wanted));
      } catch (error) {
        for (const { reject } of wanted) reject(error);
      }
    }
    this.looking = false;
  }

  private async lookFor(wanted: readonly Wanted[]): Promise<Map<string, Position>> {
    const events = wanted.reduce((sum, { count }) => sum + count, 0);
    const latest = wanted.reduce((highest, each) => (each.last.commit > highest.last.commit ? each : highest));
    const known = byRevision(await this.reader.before(latest.last, events + Math.ceil(this.slack)));
    for (const { stream, first, count, last } of wanted)
      known.set(keyOf(stream, first + count - 1), positionText(last));
    return known;
  }

  private answer(wanted: readonly Wanted[], known: ReadonlyMap<string, Position>): void {
    let missing = false;
    for (const { stream, first, count, resolve } of wanted) {
      const positions = Array.from({ length: count }, (_, index) => known.get(keyOf(stream, first + index)));
      const whole = positions.every((position) => position !== undefined);
      missing ||= !whole;
      resolve(whole ? positions : null);
    }
    this.slack = Math.min(slackMax, Math.max(slackMin, this.slack * (missing ? 2 : slackShrink)));
  }

  private takeSome(): Wanted[] {
    let events = 0;
    const fitting = this.waiting.findIndex(({ count }, index) => {
      events += count;
      return index > 0 && events > wantedMax;
    });
    return this.waiting.splice(0, fitting === -1 ? this.waiting.length : fitting);
  }

  private async fromStream(
    stream: string,
    first: number,
    count: number,
    position: LogPosition | undefined,
  ): Promise<Position[]> {
    const found = await this.reader.stream(stream, { from: BigInt(first), backwards: false, limit: count });
    const known = new Map((found ?? []).map(recordedEvent).map((event) => [event.revision, event.position]));
    const last = (position && positionText(position)) ?? known.get(first + count - 1);
    if (last === undefined) throw new Error(`the event store gave no position for an append to ${stream}`);
    return Array.from({ length: count }, (_, index) => known.get(first + index) ?? last);
  }
}

function byRevision(events: Awaited<ReturnType<Reader['before']>>): Map<string, Position> {
  const known = new Map<string, Position>();
  for (const { event } of events) {
    if (event?.position) known.set(keyOf(event.streamId, Number(event.revision)), positionText(event.position));
  }
  return known;
}

function keyOf(stream: string, revision: number): string {
  return `${revision} ${stream}`;
}
