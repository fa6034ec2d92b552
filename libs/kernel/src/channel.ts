import type { Json, JsonObject } from './json.js';
import type { BusSubscription, LiveBus } from './ports/index.js';

/**
 * Messages of one kind on the live bus, on a channel for each id.
 *
 * Promises: what the bus promises (`LiveBus`). Subscribers are given objects only: other JSON is passed over.
 * Does not promise: that a message has its type. Replicas of another version publish too.
 */
export class Channel<Message extends object> {
  /** Takes how an id becomes the channel's name on the bus. */
  constructor(readonly nameOf: (id: string) => string) {}

  publish(bus: LiveBus, id: string, message: Message): void {
    bus.publish(this.nameOf(id), retyped<JsonObject>(message));
  }

  /** As `publish`, for messages that subscribers must have before the writer is answered (`LiveBus.deliver`). */
  deliver(bus: LiveBus, id: string, message: Message): Promise<void> {
    return bus.deliver(this.nameOf(id), retyped<JsonObject>(message));
  }

  subscribe(bus: LiveBus, id: string, handler: (message: Message) => void): BusSubscription {
    return bus.subscribe(this.nameOf(id), (message: Json) => {
      if (typeof message === 'object' && message !== null && !Array.isArray(message))
        handler(retyped<Message>(message));
    });
  }
}

/** The one cast between messages and JSON. */
function retyped<T extends object>(value: object): T {
  return value as T;
}
