import { Logger } from '@nestjs/common';
import {
  StoppedAt,
  type Clock,
  type EventLog,
  type EventStore,
  type Gather,
  type RecordedEvent,
  type TopicSpec,
  type Position,
} from '@aos/kernel';
import type { Reactor, Reactors } from '@aos/platform';

export interface RelayParts {
  store: EventStore;
  eventLog: EventLog;
  reactors: Reactors;
  clock: Clock;
}

export interface RelaySpec {
  /** Names its position `relay-<name>` for ever. */
  name: string;
  /** As a reactor's. */
  prefixes: readonly string[] | (() => readonly string[]);
  topic: TopicSpec;
  /** How long events may gather: a call of Kafka costs the same for one record and for ten. */
  gather: Gather;
  /** Called when this one has claimed the name and the topic is there, before anything is sent. */
  claimed?: (position: Position | null) => Promise<void>;
  send: (events: RecordedEvent[]) => Promise<void>;
}

/** A relay whose process died is taken over within this time, whatever the settings say. */
const takeoverMs = 5_000;
/** Events that are on their way at once: one batch, whose sending ends before the next is read. */
const inFlightMax = 500;

/**
 * One way out of the log to a topic: a reactor whose handler publishes.
 *
 * It goes on for ever while the topic cannot take anything, and stops loudly at what can never leave: an event that
 * cannot be published, one that no record can be made of, a record that is refused for good.
 */
export class Relay {
  private readonly reactor: Reactor;
  private readonly log: Logger;
  private waitingSince: number | null = null;
  private sending = false;
  private sendingSince = 0;

  constructor(
    private readonly spec: RelaySpec,
    private readonly parts: RelayParts,
  ) {
    this.log = new Logger(`relay ${spec.name}`);
    this.reactor = parts.reactors.consume(
      {
        name: spec.name,
        prefixes: spec.prefixes,
        leaseMsMax: takeoverMs,
        from: 'start',
        batchMax: inFlightMax,
        gather: spec.gather,
        claimed: (position) => this.claimed(position),
        readiness: `relay ${spec.name}`,
      },
      (events) => this.relay(events),
    );
  }

  start(): void {
    this.reactor.start();
  }

  close(): Promise<void> {
    return this.reactor.close();
  }

  get name(): string {
    return this.spec.name;
  }

  /** Whether this process is the one that relays. */
  get active(): boolean {
    return this.reactor.active;
  }

  /** What stopped it for good; null while it runs. */
  get failure(): unknown {
    return this.reactor.failure;
  }

  /** Milliseconds since the oldest event that waits to leave was recorded; 0 when none waits here. */
  get lagMs(): number {
    return this.waitingSince === null ? 0 : Math.max(0, this.parts.clock.now() - this.waitingSince);
  }

  /** Whether events go through: this one relays, and no batch is stuck. */
  isMoving(stuckMs: number): boolean {
    return (
      this.active &&
      this.failure === null &&
      (!this.sending || this.parts.clock.monotonic() - this.sendingSince < stuckMs)
    );
  }

  private async claimed(position: Position | null): Promise<void> {
    this.sending = false;
    await this.parts.eventLog.ensureTopics([this.spec.topic]);
    await this.spec.claimed?.(position);
    this.log.log(`relays after ${position ?? 'the start'}`);
  }

  private async relay(events: RecordedEvent[]): Promise<void> {
    if (!this.sending) this.sendingSince = this.parts.clock.monotonic();
    this.sending = true; // stays so when it fails: the same batch is given again
    const recordedAt = Date.parse(events[0]?.meta.recorded_at ?? '');
    this.waitingSince ??= Number.isNaN(recordedAt) ? null : recordedAt;
    await this.send(events);
    this.sending = false;
    this.waitingSince = null;
  }

  /** What stands before an event that can never leave has left when the relay stops there. */
  private async send(events: RecordedEvent[]): Promise<void> {
    try {
      await this.spec.send(events);
    } catch (error) {
      if (!(error instanceof StoppedAt)) throw error;
      const before = events.filter(({ position }) => position < error.position);
      if (before.length > 0) await this.send(before);
      throw error;
    }
  }
}
