import { LiveBus, type BusSubscription, type Position } from '@aos/kernel';

/** Published by the projector of the feed after its commit. */
export function notifyChannel(orgId: string): string {
  return `ring:events-${orgId}`;
}

/**
 * Says that an organization's feed has grown. Only a hint: notifications may be lost, repeated, or come before the row
 * does; what is delivered comes from the rows. While a notifier is unhealthy watched feeds are looked at every second.
 */
export abstract class FeedNotifier {
  /** Calls `notify` with the newest position it knows of, until closed. */
  abstract watch(orgId: string, notify: (position: Position) => void): BusSubscription;
  abstract readonly healthy: boolean;
}

/** The live bus: the feed's projector publishes to it. */
export class LiveBusFeedNotifier extends FeedNotifier {
  constructor(private readonly bus: LiveBus) {
    super();
  }

  override watch(orgId: string, notify: (position: Position) => void): BusSubscription {
    return this.bus.subscribe(notifyChannel(orgId), (message) => {
      if (typeof message === 'string') notify(message);
    });
  }

  override get healthy(): boolean {
    return this.bus.healthy;
  }
}

/** Several notifiers at once: any notification counts; healthy while all are. */
export class FeedNotifiers extends FeedNotifier {
  constructor(private readonly notifiers: readonly FeedNotifier[]) {
    super();
  }

  override watch(orgId: string, notify: (position: Position) => void): BusSubscription {
    const watched = this.notifiers.map((notifier) => notifier.watch(orgId, notify));
    return {
      ready: Promise.all(watched.map(({ ready }) => ready)).then(() => undefined),
      close: () => {
        for (const one of watched) one.close();
      },
    };
  }

  override get healthy(): boolean {
    return this.notifiers.every(({ healthy }) => healthy);
  }
}
