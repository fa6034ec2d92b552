import { Injectable } from '@nestjs/common';
import { Clock, GenerationalCache, LiveBus } from '@aos/kernel';
import { watchKey, watchTtlMs, watchedHere, watchedWord, watchRenewMs } from './live.signals.js';

/** Sessions of which this process remembers that they are followed. */
const rememberedMax = 20_000;

/** Says that a session is followed in this process. */
export interface Announcement {
  /** Says it, unless the runs of this process know it already: runs of others then find the key that `renew` writes. */
  begin(): void;
  /** Says it now. */
  say(): void;
  /** Writes the key again when the last time is long enough ago. */
  renew(): void;
}

/**
 * Who follows which session: those who show one announce it, those who run its turns ask.
 *
 * A key on the live bus that ends by itself says it to turns that begin later, a word on the session's channel to those
 * that run.
 */
@Injectable()
export class SessionWatches {
  /** Until when a session counts as followed by someone in this process. */
  private readonly here = new GenerationalCache<number>(rememberedMax);
  /** How often the bus broke or was whole again: what others published between the two is lost. */
  healthChanges = 0;

  constructor(
    private readonly bus: LiveBus,
    private readonly clock: Clock,
  ) {
    bus.onHealth(() => {
      this.healthChanges += 1;
    });
  }

  /** A stream begins in this process together with the turn that it follows: no word is needed for that turn. */
  expect(sessionId: string): void {
    this.here.set(sessionId, this.clock.monotonic() + watchTtlMs);
  }

  /** Whether a stream of the session is in this process, or about to be. */
  isExpected(sessionId: string): boolean {
    return (this.here.get(sessionId) ?? 0) > this.clock.monotonic();
  }

  /** False while no other process can be heard of. */
  get canAsk(): boolean {
    return this.bus.healthy;
  }

  /**
   * Whether the session is followed anywhere, or was until half a minute ago.
   *
   * Refuses  `StoreUnavailable` when the bus does not answer.
   */
  async isFollowed(sessionId: string): Promise<boolean> {
    return this.isExpected(sessionId) || (await this.bus.preview(watchKey(sessionId))).size > 0;
  }

  /** For a session whose signals arrive in this process from now on. */
  announcement(sessionId: string, onTrouble: (error: unknown) => void): Announcement {
    let keptAt = Number.NEGATIVE_INFINITY;
    const keep = (keeping: Promise<void>) => {
      keptAt = this.clock.monotonic();
      keeping.catch((error: unknown) => {
        keptAt = Number.NEGATIVE_INFINITY;
        onTrouble(error);
      });
    };
    const say = () => {
      keep(this.announce(sessionId));
    };
    return {
      begin: () => {
        if (!this.isExpected(sessionId)) say();
      },
      say,
      renew: () => {
        if (this.clock.monotonic() - keptAt >= watchRenewMs) keep(this.keepKey(sessionId));
      },
    };
  }

  /**
   * Says that a viewer of the session came to this process.
   *
   * Refuses  `StoreUnavailable` when the bus does not keep it.
   */
  announce(sessionId: string): Promise<void> {
    // the key first: a look behind a word that was lost finds it
    const kept = this.keepKey(sessionId);
    this.bus.publish(`ring:session-${sessionId}`, watchedWord);
    return kept;
  }

  private keepKey(sessionId: string): Promise<void> {
    this.expect(sessionId);
    return this.bus.setPreview(watchKey(sessionId), watchedHere, '1', watchTtlMs);
  }
}
