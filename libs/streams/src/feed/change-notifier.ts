import { LiveBus, type BusSubscription } from '@aos/kernel';

/**
 * Says that a session's stream has grown. Only a hint: notifications may be lost, repeated or out of order; what is
 * delivered comes from the log. While a notifier is unhealthy the heads of watched sessions are looked up every second
 * instead.
 */
export abstract class ChangeNotifier {
  /** Calls `notify` with the newest revision it knows of, until closed. */
  abstract watch(sessionId: string, notify: (revision: number) => void): BusSubscription;
  abstract readonly healthy: boolean;
  /** Called when health changes. */
  abstract onHealth(listener: (healthy: boolean) => void): void;
}

/** The writing process publishes after each append (channel `ring:session-<id>`). */
export class LiveBusChangeNotifier extends ChangeNotifier {
  constructor(private readonly bus: LiveBus) {
    super();
  }

  override watch(sessionId: string, notify: (revision: number) => void): BusSubscription {
    return this.bus.subscribe(`ring:session-${sessionId}`, (message) => {
      if (typeof message === 'number') notify(message);
    });
  }

  override get healthy(): boolean {
    return this.bus.healthy;
  }

  override onHealth(listener: (healthy: boolean) => void): void {
    this.bus.onHealth(listener);
  }
}

/** Several notifiers at once: any notification counts; healthy while all are. */
export class ChangeNotifiers extends ChangeNotifier {
  constructor(private readonly notifiers: readonly ChangeNotifier[]) {
    super();
  }

  override watch(sessionId: string, notify: (revision: number) => void): BusSubscription {
    const watched = this.notifiers.map((notifier) => notifier.watch(sessionId, notify));
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

  override onHealth(listener: (healthy: boolean) => void): void {
    for (const notifier of this.notifiers)
      notifier.onHealth(() => {
        listener(this.healthy);
      });
  }
}

/** Notifiers beside the live bus: a process that has some provides this (globally). */
export abstract class MoreChangeNotifiers {
  abstract readonly notifiers: readonly ChangeNotifier[];
}
