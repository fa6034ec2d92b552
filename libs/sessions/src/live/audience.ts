import { youngFunction, type BusSubscription, type Clock, type Json } from '@aos/kernel';
import { watchLookMs, watchedWord } from './live.signals.js';
import type { SessionWatches } from './session-watches.js';

/**
 * Whether a session is followed anywhere, as far as the run of a turn or of a call knows (rule TP30).
 *
 * Promises: a viewer that was announced is known of within `watchLookMs`, and at once when its word arrives. While the
 *           bus cannot say, the session counts as followed.
 */
export class Audience {
  private standing: 'unknown' | 'present' | 'absent' = 'unknown';
  private listener: (() => void) | null = null;
  private due: { cancel(): void } | null = null;
  private words = 0;
  private closed = false;

  constructor(
    private readonly watches: SessionWatches,
    private readonly sessionId: string,
    private readonly clock: Clock,
    private readonly onTrouble: (error: unknown) => void,
  ) {}

  get isPresent(): boolean {
    return this.standing === 'present';
  }

  /** False also before the first look has ended. */
  get isAbsent(): boolean {
    return this.standing === 'absent';
  }

  /** One listener: called when it becomes known whether someone follows, and whenever a viewer comes. */
  onNews(listener: () => void): void {
    this.listener = listener;
  }

  /**
   * Looks for the first time, and from then on every `watchLookMs`.
   *
   * Takes    the subscription that words arrive by: what was announced before it stands is found by a look behind it.
   */
  begin({ ready }: Pick<BusSubscription, 'ready'>): void {
    this.lookLater(); // a subscription does not stand before the bus is whole
    if (this.watches.isExpected(this.sessionId) || !this.watches.canAsk) this.set('present');
    else ready.then(this.look, this.onTrouble);
  }

  /** Takes a message of the session's channel. Gives whether it was the word. */
  hear(message: Json): boolean {
    if (message !== watchedWord) return false;
    this.words += 1;
    if (this.closed) return true;
    this.standing = 'present';
    this.listener?.();
    return true;
  }

  close(): void {
    this.closed = true;
    this.due?.cancel();
  }

  private readonly look = youngFunction((): void => {
    this.findOut().catch(this.onTrouble);
  });

  private async findOut(): Promise<void> {
    if (this.closed) return;
    const { words } = this;
    this.lookLater();
    const isFollowed = await this.watches.isFollowed(this.sessionId).catch((error: unknown) => {
      this.onTrouble(error);
      return true;
    });
    // a word that came meanwhile is newer than the answer
    if (!this.closed && words === this.words) this.set(isFollowed ? 'present' : 'absent');
  }

  private lookLater(): void {
    this.due?.cancel();
    this.due = this.clock.after(watchLookMs, this.look);
  }

  private set(standing: 'present' | 'absent'): void {
    if (standing === this.standing) return;
    this.standing = standing;
    this.listener?.();
  }
}
