import type { AllStreamResolvedEvent, EventStoreDBClient, ResolvedEvent, StreamingRead } from '@eventstore/db-client';
import { StoreUnavailable } from '@aos/kernel';
import { closeChannel, fromLeader, isRedirect, openClient, verdictOf } from './client.js';
import { Gate } from './gate.js';
import { jittered, pause } from './settings.js';
import type { Settings } from './settings.js';

/** Below the 100 calls that one connection carries. */
const inFlightMax = 64;
const waitingMax = 20_000;
/** Reads wait in one line: they do not say whose they are. */
const allReads = '';
const firstPauseMs = 20;
const pauseMaxMs = 500;

export interface StreamRead {
  from: bigint | 'start' | 'end';
  backwards: boolean;
  limit: number;
}

type Call = StreamingRead<ResolvedEvent | AllStreamResolvedEvent>;

/** Bounded reads with a time limit, which the client's own do not have; repeated until the budget is used up. */
export class Reader {
  private readonly gate = new Gate(inFlightMax, { waiting: waitingMax, waitingPerOrganization: waitingMax });
  private client: EventStoreDBClient | undefined;
  private closed = false;

  constructor(private readonly settings: Settings) {}

  /** Events of one stream; null when there is no such stream. */
  stream(name: string, { from, backwards, limit }: StreamRead): Promise<ResolvedEvent[] | null> {
    return this.collect((client) =>
      client.readStream(name, {
        fromRevision: from,
        direction: backwards ? 'backwards' : 'forwards',
        maxCount: limit,
        ...fromLeader,
      }),
    );
  }

  /** The last event of the log. */
  async last(): Promise<ResolvedEvent | undefined> {
    const found = await this.collect((client) =>
      client.readAll({ fromPosition: 'end', direction: 'backwards', maxCount: 1, ...fromLeader }),
    );
    return found?.[0];
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = this.client;
    this.client = undefined;
    if (!client) return;
    await client.dispose();
    await closeChannel(client);
  }

  private collect(start: (client: EventStoreDBClient) => Call): Promise<ResolvedEvent[] | null> {
    const deadline = performance.now() + this.settings.budgetMs;
    return this.gate.run(allReads, async () => {
      let cause: unknown = new Error('too many reads were waiting');
      for (
        let pauseMs = firstPauseMs;
        performance.now() < deadline && !this.closed;
        pauseMs = Math.min(pauseMaxMs, pauseMs * 2)
      ) {
        this.client ??= openClient(this.settings.url, 'read', this.settings.budgetMs);
        const client = this.client;
        try {
          return await everything(start(client), Math.min(this.settings.attemptMs, deadline - performance.now()));
        } catch (error) {
          const { kind } = verdictOf(error);
          if (kind === 'not_found') return null;
          if (kind !== 'unknown') throw error;
          cause = error;
          if (!isRedirect(error)) this.replace(client);
        }
        await pause(Math.min(jittered(pauseMs), Math.max(0, deadline - performance.now())));
      }
      throw new StoreUnavailable('the event store did not answer a read', { cause });
    });
  }

  /** Other reads on it may go on; new ones take a new connection. */
  private replace(client: EventStoreDBClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    closeChannel(client).catch(() => undefined); // it never had a connection
  }
}

function everything(call: Call, ms: number): Promise<ResolvedEvent[]> {
  return new Promise((resolve, reject) => {
    const found: ResolvedEvent[] = [];
    const fail = (error: unknown) => {
      clearTimeout(timer);
      reject(error instanceof Error ? error : new Error(String(error)));
      call.cancel().catch(() => undefined); // there is no call to cancel
    };
    const timer = setTimeout(() => fail(new Error(`no answer within ${Math.round(ms)} ms`)), Math.max(0, ms));
    call.on('data', (event) => {
      found.push(event);
    });
    call.on('error', fail);
    call.on('end', () => {
      clearTimeout(timer);
      resolve(found);
    });
  });
}
