import type { EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import { StoreUnavailable } from '@aos/kernel';
import { openClient, redirectOf, verdictOf } from './client.js';
import { Gate } from './gate.js';
import { LeaderConnection } from './leader-connection.js';
import { lastReadRequest, readAnswer, streamReadRequest, type ReadEvent, type StreamRead } from './read-messages.js';
import { jittered, pause, within } from './settings.js';
import type { Settings } from './settings.js';

/** Below the 100 calls that one connection carries. */
const inFlightMax = 64;
const waitingMax = 20_000;
/** Reads wait in one line: they do not say whose they are. */
const allReads = '';
const firstPauseMs = 20;
const pauseMaxMs = 500;

/** Bounded reads with a time limit, repeated until the budget is used up. */
export class Reader {
  private readonly gate = new Gate(inFlightMax, { waiting: waitingMax, waitingPerOrganization: waitingMax });
  /** Finds the leader; it makes no calls of its own. */
  private client: EventStoreDBClient | undefined;
  private opening: Promise<LeaderConnection> | undefined;
  private current: LeaderConnection | undefined;
  /** The leader that a node named; null: the client is asked. */
  private leader: EndPoint | null = null;
  private closed = false;

  constructor(private readonly settings: Settings) {}

  /** Events of one stream; null when there is no such stream. */
  async stream(name: string, read: StreamRead): Promise<ReadEvent[] | null> {
    return this.collect(streamReadRequest(name, read));
  }

  /** The last event of the log. */
  async last(): Promise<ReadEvent | undefined> {
    const found = await this.collect(lastReadRequest());
    return found?.[0];
  }

  async close(): Promise<void> {
    this.closed = true;
    const { opening } = this;
    this.opening = undefined;
    this.current = undefined;
    opening?.then(
      (connection) => {
        connection.destroy();
      },
      () => undefined, // there is none
    );
  }

  private collect(request: Buffer): Promise<ReadEvent[] | null> {
    const deadline = performance.now() + this.settings.budgetMs;
    return this.gate.run(allReads, async () => {
      let cause: unknown = new Error('too many reads were waiting');
      for (
        let pauseMs = firstPauseMs;
        performance.now() < deadline && !this.closed;
        pauseMs = Math.min(pauseMaxMs, pauseMs * 2)
      ) {
        let connection: LeaderConnection | undefined;
        try {
          const attemptEnd = Math.min(performance.now() + this.settings.attemptMs, deadline);
          const left = () => attemptEnd - performance.now();
          connection =
            this.usable ?? (await within(left(), this.connection(), () => new Error('no connection in time')));
          return eventsOf(await connection.read(request, left()));
        } catch (error) {
          const { kind } = verdictOf(error);
          if (kind === 'not_found') return null;
          if (kind !== 'unknown') throw error;
          cause = error;
          if (connection) this.replace(connection, redirectOf(error));
        }
        await pause(Math.min(jittered(pauseMs), Math.max(0, deadline - performance.now())));
      }
      throw new StoreUnavailable('the event store did not answer a read', { cause });
    });
  }

  /** The one that is there; one that has ended is left. */
  private get usable(): LeaderConnection | undefined {
    if (this.current?.isUsable === false) this.replace(this.current, null);
    return this.current;
  }

  /** The one on its way, or a new one. */
  private connection(): Promise<LeaderConnection> {
    if (this.opening) return this.opening;
    const { url, budgetMs } = this.settings;
    this.client ??= openClient(url, 'read', budgetMs);
    const opening = LeaderConnection.open(this.client, url, this.leader);
    this.opening = opening;
    opening.then(
      (connection) => {
        if (this.opening === opening) this.current = connection;
      },
      () => {
        if (this.opening === opening) this.opening = undefined;
      },
    );
    return opening;
  }

  /** Other reads on it may go on; new ones take a new connection. */
  private replace(connection: LeaderConnection, leader: EndPoint | null): void {
    if (this.current !== connection) return;
    this.leader = leader;
    this.current = undefined;
    this.opening = undefined;
    connection.leave();
  }
}

function eventsOf(messages: readonly Buffer[]): ReadEvent[] | null {
  const events: ReadEvent[] = [];
  for (const message of messages) {
    const answer = readAnswer(message);
    if (answer === 'no_stream') return null;
    if (answer) events.push(answer);
  }
  return events;
}
