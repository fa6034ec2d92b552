import { Injectable } from '@nestjs/common';
import { LiveBus, type BusSubscription, type Position } from '@aos/kernel';

/** Rung by the projector of the feed after its commit. */
export function ringChannel(orgId: string): string {
  return `ring:events-${orgId}`;
}

/**
 * Tells that an organization's feed has grown. Only a hint: rings may be lost, repeated, or come before the row does; what is delivered comes
 * from the rows. While a bell is unhealthy watched feeds are looked at every second.
 */
export abstract class FeedBell {
  /** Calls `ring` with the newest place it knows of, until closed. */
  abstract watch(orgId: string, ring: (position: Position) => void): BusSubscription;
  abstract readonly healthy: boolean;
}

/** The live bus: the feed's projector rings it. */
@Injectable()
export class LiveBusFeedBell extends FeedBell {
  constructor(private readonly bus: LiveBus) {
    super();
  }

  override watch(orgId: string, ring: (position: Position) => void): BusSubscription {
    return this.bus.subscribe(ringChannel(orgId), (message) => {
      if (typeof message === 'string') ring(message);
    });
  }

  override get healthy(): boolean {
    return this.bus.healthy;
  }
}

/** Several bells at once: any ring counts; healthy while all are. */
export class FeedBells extends FeedBell {
  constructor(private readonly bells: readonly FeedBell[]) {
    super();
  }

  override watch(orgId: string, ring: (position: Position) => void): BusSubscription {
    const watched = this.bells.map((bell) => bell.watch(orgId, ring));
    return {
      ready: Promise.all(watched.map(({ ready }) => ready)).then(() => undefined),
      close: () => {
        for (const one of watched) one.close();
      },
    };
  }

  override get healthy(): boolean {
    return this.bells.every(({ healthy }) => healthy);
  }
}
