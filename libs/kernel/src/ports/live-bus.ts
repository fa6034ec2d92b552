import type { Json } from '../json.js';

export interface BusSubscription {
  /** Resolves when messages published from now on arrive. */
  readonly ready: Promise<void>;
  close(): void;
}

/**
 * Live signals between processes: notifications of changes, and previews.
 *
 * Promises: a message reaches every subscriber at most once, in the publisher's order per channel. `publish` never
 *           waits for a subscriber.
 * Does not promise: that it arrives. A handler must not block; what it throws is logged.
 */
export abstract class LiveBus {
  abstract publish(channel: string, message: Json): void;
  /**
   * As `publish`, for messages that subscribers must have before the writer is answered. Resolves when everything that
   * reaches a subscriber's process from then on comes after the message, or after a bounded wait when it is lost.
   */
  abstract deliver(channel: string, message: Json): Promise<void>;
  abstract subscribe(channel: string, handler: (message: Json) => void): BusSubscription;
  /** A small text kept for late joiners: one field of a hash that lives `ttlMs` after its last change. */
  abstract setPreview(key: string, field: string, value: string, ttlMs: number): Promise<void>;
  abstract preview(key: string): Promise<Map<string, string>>;
  /** Drops the whole hash, or one field of it. */
  abstract dropPreview(key: string, field?: string): Promise<void>;
  /** Called when the bus breaks (false) and when it is whole again (true): messages in between were lost. */
  abstract onHealth(listener: (healthy: boolean) => void): void;
  abstract readonly healthy: boolean;
  abstract close(): Promise<void>;
}
