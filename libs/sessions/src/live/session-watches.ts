import { Injectable } from '@nestjs/common';
import { Clock, GenerationalCache, LiveBus, type Json } from '@aos/kernel';
import { watchKey, watchTtlMs, watchedHere, watchedWord, watchRenewMs } from './live.signals.js';

/** Sessions of which this process remembers that they are followed. */
const rememberedMax = 20_000;

/** Says, again and again, that a session is followed in this process. */
export interface Announcement {
  /** Says it now. */
  say(): void;
  /** Says it when the last time is long enough ago. */
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

  constructor(
    private readonly bus: LiveBus,
    private readonly clock: Clock,
  ) {}

  /** A stream of the session is about to begin in this process, which the turn that it asks for need not be told. */
  expect(sessionId: string): void {
    this.here.set(sessionId, this.clock.monotonic() + watchTtlMs);
  }

  /** For a session whose signals arrive in this process from now on. */
  announcement(sessionId: string, onTrouble: (error: unknown) => void): Announcement {
    let saidAt = Number.NEGATIVE_INFINITY;
    const say = () => {
      saidAt = this.clock.monotonic();
      this.announce(sessionId).catch((error: unknown) => {
        saidAt = Number.NEGATIVE_INFINITY;
        onTrouble(error);
      });
    };
    return {
      say,
      renew: () => {
        if (this.clock.monotonic() - saidAt >= watchRenewMs) say();
      },
    };
  }

  private async announce(sessionId: string): Promise<void> {
    this.expect(sessionId);
    // the key first: who reads it after a word that was lost finds it
    const kept = this.bus.setPreview(watchKey(sessionId), watchedHere, '1', watchTtlMs);
    this.bus.publish(`ring:session-${sessionId}`, watchedWord);
    await kept;
  }
}

/** Whether a message of a session's channel says that it is followed: the others are revisions. */
export function isWatchedWord(message: Json): boolean {
  return message === watchedWord;
}
