import type { AppendResult } from '@eventstore/db-client';
import { EventTooLarge, RevisionConflict, StoreUnavailable, appendBytesMax } from '@aos/kernel';
import type { ExpectedRevision, NewEvent } from '@aos/kernel';
import { AppendLine } from './append-line.js';
import { verdictOf } from './client.js';
import { Gate } from './gate.js';
import { jittered, pause, within } from './settings.js';
import type { Settings } from './settings.js';

/**
 * At 16 unwritten messages the client's call asks its writer to wait; if the call then breaks, the client rejects
 * promises that no code awaits and the process dies. One append is one message, so fewer than 16 of them never wait
 * there.
 */
const inFlightMax = 15;
const waitingMax = 10_000;
const firstPauseMs = 20;
const pauseMaxMs = 500;

interface Shared {
  url: string;
  appender: Appender;
  users: number;
}

let shared: Shared | undefined;

/** The one way to append in this process: two appending clients would reject each other's appends. */
export class Appender {
  private readonly gate = new Gate(inFlightMax, { waiting: waitingMax, waitingPerOrganization: waitingMax / 2 });
  private starting: Promise<AppendLine> | undefined;
  private ending: Promise<void> = Promise.resolve();
  private closed = false;

  private constructor(private readonly settings: Settings) {}

  /** Gives the process's appender; throws while there is one for another address. */
  static acquire(settings: Settings): Appender {
    shared ??= { url: settings.url, appender: new Appender(settings), users: 0 };
    if (shared.url !== settings.url) throw new Error('a process appends to one event store only');
    shared.users += 1;
    return shared.appender;
  }

  /** Gives the appender back; the last one back ends it. */
  async release(): Promise<void> {
    if (shared?.appender !== this) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    shared = undefined;
    this.closed = true;
    const line = await this.starting?.catch(() => undefined);
    await line?.end();
    await this.ending;
  }

  /**
   * Appends once, however often it has to be sent. Refuses with `RevisionConflict`, `EventTooLarge`,
   * `StoreUnavailable`.
   */
  async append(stream: string, expected: ExpectedRevision, events: readonly NewEvent[]): Promise<AppendResult> {
    const deadline = performance.now() + this.settings.budgetMs;
    const orgId = events[0]?.meta['org_id'] ?? '';
    return this.gate.run(orgId, () => this.repeat(stream, expected, events, deadline));
  }

  private async repeat(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    deadline: number,
  ): Promise<AppendResult> {
    let cause: unknown = new Error('too many appends were waiting');
    for (let pauseMs = firstPauseMs; performance.now() < deadline; pauseMs = Math.min(pauseMaxMs, pauseMs * 2)) {
      let line: AppendLine | undefined;
      try {
        line = await this.line(deadline);
        return await line.send(
          stream,
          expected,
          events,
          Math.min(this.settings.attemptMs, deadline - performance.now()),
        );
      } catch (error) {
        if (this.closed) break;
        throwIfKnown(error, stream, expected);
        cause = error;
        if (line) this.replace(line);
      }
      await pause(Math.min(jittered(pauseMs), Math.max(0, deadline - performance.now())));
    }
    throw new StoreUnavailable(`the event store did not answer an append to ${stream}`, { cause });
  }

  /** The line to send on; while one ends and the next opens, appends wait here. */
  private line(deadline: number): Promise<AppendLine> {
    if (!this.starting) {
      const starting = this.ending.then(() => AppendLine.open(this.settings));
      this.starting = starting;
      starting.then(
        (line) => {
          this.current = line;
        },
        () => {
          if (this.starting === starting) this.starting = undefined;
        },
      );
    }
    return within(
      deadline - performance.now(),
      this.starting,
      () => new StoreUnavailable('no connection to the event store in time'),
    );
  }

  private current: AppendLine | undefined;

  /** Ends a line that failed; each line is ended once. */
  private replace(line: AppendLine): void {
    if (this.current !== line) return;
    this.current = undefined;
    this.starting = undefined;
    this.ending = line.end();
  }
}

function throwIfKnown(error: unknown, stream: string, expected: ExpectedRevision): void {
  const verdict = verdictOf(error);
  if (verdict.kind === 'conflict') throw new RevisionConflict(stream, expected, verdict.actual);
  if (verdict.kind === 'too_large') throw new EventTooLarge(stream, appendBytesMax);
  if (verdict.kind === 'refused') throw error;
}
