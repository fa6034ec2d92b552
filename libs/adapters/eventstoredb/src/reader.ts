import { StoreUnavailable } from '@aos/kernel';
import { redirectOf, verdictOf } from './client.js';
import { Gate } from './gate.js';
import type { LeaderConnection } from './leader-connection.js';
import { LeaderConnections } from './leader-connections.js';
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
  private readonly connections: LeaderConnections;
  private closed = false;

  constructor(private readonly settings: Settings) {
    this.connections = new LeaderConnections('read', settings);
  }

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
    this.connections.close();
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
            this.connections.usable ??
            (await within(left(), this.connections.open(), () => new Error('no connection in time')));
          return eventsOf(await connection.read(request, left()));
        } catch (error) {
          const { kind } = verdictOf(error);
          if (kind === 'not_found') return null;
          if (kind !== 'unknown') throw error;
          cause = error;
          if (connection) this.connections.replace(connection, redirectOf(error));
        }
        await pause(Math.min(jittered(pauseMs), Math.max(0, deadline - performance.now())));
      }
      throw new StoreUnavailable('the event store did not answer a read', { cause });
    });
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
