import { LiveBus, type BusSubscription, type Json } from '@aos/kernel';
import { framesOfNextBuild } from './next-build.js';
import type { Shared } from './shared.js';
import type { Place } from './scheduler.js';

interface Listener {
  place: Place;
  handler: (message: Json) => void;
}

/**
 * The wire between the replicas: messages may be late, lost, doubled and out of order, for each listener on its own.
 */
export class Wire {
  private readonly channels = new Map<string, Set<Listener>>();

  listen(channel: string, listener: Listener): () => void {
    const listeners = this.channels.get(channel) ?? new Set<Listener>();
    this.channels.set(channel, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  listeners(channel: string): Listener[] {
    return [...(this.channels.get(channel) ?? [])];
  }

  isListening(channel: string, listener: Listener): boolean {
    return this.channels.get(channel)?.has(listener) ?? false;
  }
}

/** One replica's end of the wire. */
export class SimulatedBus extends LiveBus {
  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
  ) {
    super();
  }

  override get healthy(): boolean {
    return !this.shared.busIsCut;
  }

  override publish(channel: string, message: Json): void {
    for (const each of this.place.isNextBuild ? framesOfNextBuild(message) : [message]) this.send(channel, each);
  }

  /** Word can always be late here: nothing may rest on it. */
  override async deliver(channel: string, message: Json): Promise<void> {
    this.publish(channel, message);
  }

  override subscribe(channel: string, handler: (message: Json) => void): BusSubscription {
    const close = this.shared.wire.listen(channel, { place: this.place, handler });
    this.shared.onDeath(this.place, close);
    return { ready: Promise.resolve(), close };
  }

  override async setPreview(): Promise<void> {}

  override async preview(): Promise<Map<string, string>> {
    return new Map();
  }

  override async dropPreview(): Promise<void> {}

  override onHealth(listener: (healthy: boolean) => void): void {
    this.shared.onBusHealth(this.place, listener);
  }

  override async close(): Promise<void> {}

  private send(channel: string, message: Json): void {
    const { wire, random, faults } = this.shared;
    if (this.shared.busIsCut) return;
    for (const listener of wire.listeners(channel)) {
      if (random.chance(faults.messageLost)) continue;
      const copies = random.chance(faults.messageDoubled) ? 2 : 1;
      for (let copy = 0; copy < copies; copy += 1) this.carry(channel, listener, message);
    }
  }

  private carry(channel: string, listener: Listener, message: Json): void {
    this.shared.scheduler
      .turn(listener.place, this.shared.delay())
      .then(() => {
        if (!this.shared.busIsCut && this.shared.wire.isListening(channel, listener)) listener.handler(message);
      })
      .catch((error: unknown) => {
        this.shared.fault(error);
      });
  }
}
