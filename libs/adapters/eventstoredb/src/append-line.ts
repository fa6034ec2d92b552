import type { EventStoreDBClient, AppendResult } from '@eventstore/db-client';
import { jsonEvent } from '@eventstore/db-client';
import type { ExpectedRevision, NewEvent } from '@aos/kernel';
import { closeChannel, connected, destroyCalls, openClient } from './client.js';
import { within } from './settings.js';
import type { Settings } from './settings.js';

const disposeMs = 250;

/** No answer in time, or none to be had: what became of the append is not known. */
export class NoAnswer extends Error {}

/** One appending client from its start to its end. */
export class AppendLine {
  private readonly pending = new Set<Promise<unknown>>();

  private constructor(private readonly client: EventStoreDBClient) {}

  /** Rejects with `NoAnswer` when the server does not answer in time; then nothing was sent. */
  static async open({ url, attemptMs, budgetMs }: Settings): Promise<AppendLine> {
    const client = openClient(url, 'append', budgetMs);
    try {
      await within(attemptMs, connected(client), () => new NoAnswer('the event store did not say what it can do'));
    } catch (error) {
      closeChannel(client).catch(ignoreClosed);
      throw error;
    }
    return new AppendLine(client);
  }

  /**
   * Sends one append. Rejects with the client's error, or with `NoAnswer` after `ms`; the append may then still be
   * carried out.
   */
  async send(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    ms: number,
  ): Promise<AppendResult> {
    const proposed = events.map(({ id, type, data, meta }) => jsonEvent({ id, type, data, metadata: meta }));
    const sent = this.client.appendToStream(stream, proposed, {
      expectedRevision: expected === 'none' ? 'no_stream' : BigInt(expected),
    });
    this.pending.add(sent);
    const settled = () => {
      this.pending.delete(sent);
    };
    sent.then(settled, settled);
    return within(ms, sent, () => new NoAnswer(`no answer within ${ms} ms`));
  }

  /**
   * Ends the client and waits until every append pending on it was rejected: the client's table of pending appends is
   * one for the whole process, so a late error of this one would reject the next one's appends.
   */
  async end(): Promise<void> {
    const settled = Promise.allSettled(this.pending);
    const late = () => new NoAnswer('the client did not end');
    await within(disposeMs, Promise.all([this.client.dispose(), settled]), late).catch(() => destroyCalls(this.client));
    await within(disposeMs, settled, late).catch(ignoreClosed);
    await within(disposeMs, closeChannel(this.client), late).catch(ignoreClosed);
  }
}

/** A connection that cannot be closed was never opened, or is gone already. */
function ignoreClosed(): void {}
