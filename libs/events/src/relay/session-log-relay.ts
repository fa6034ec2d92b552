import { Logger } from '@nestjs/common';
import { StoreUnavailable, rfc3339, type RecordedEvent } from '@aos/kernel';
import { Portions, heartbeats, sessionRecords, sessionTopic } from './records.js';
import { Relay, type RelayParts } from './relay.js';

const heartbeatEveryMs = 500;
/** Gateways hear of a change over the live bus first. */
const gather = { ms: 50 };
/** A batch that takes longer keeps heartbeats away: gateways then look for themselves. */
const stuckMs = 1000;

/** Every session event to the topic of the stream gateways. */
export function sessionLogRelay(topicPrefix: string, parts: RelayParts): Relay {
  const topic = sessionTopic(topicPrefix);
  async function send(batch: RecordedEvent[]): Promise<void> {
    const portions = new Portions((records) => parts.eventLog.publish(topic.topic, records));
    for (const { record, last } of sessionRecords(batch)) await portions.add(record, last);
    await portions.flush();
  }
  return new Relay({ name: 'sessionlog', prefixes: ['session-'], topic, gather, send }, parts);
}

/** Tells gateways that a relay moves: a record to each partition, twice a second, only while it does. */
export class Heartbeats {
  private readonly log = new Logger('heartbeats');
  private timer: { cancel(): void } | null = null;
  private beating: Promise<void> = Promise.resolve();
  private isBusy = false;
  private closed = false;

  constructor(
    private readonly relay: Relay,
    private readonly topicPrefix: string,
    private readonly parts: RelayParts,
  ) {}

  start(): void {
    if (this.closed) return;
    this.timer = this.parts.clock.after(heartbeatEveryMs, () => {
      if (!this.isBusy && this.relay.isMoving(stuckMs)) this.beating = this.beat();
      this.start();
    });
  }

  async close(): Promise<void> {
    this.closed = true;
    this.timer?.cancel();
    await this.beating;
  }

  private async beat(): Promise<void> {
    this.isBusy = true;
    try {
      await this.parts.eventLog.publish(
        sessionTopic(this.topicPrefix).topic,
        heartbeats(rfc3339(this.parts.clock.now())),
      );
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) this.log.error(String(error));
      else this.log.debug(error.message); // the relay itself says that the topic is away
    } finally {
      this.isBusy = false;
    }
  }
}
