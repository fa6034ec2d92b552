import type { ReadFrame } from './frames.js';
import { Reconnecting, type FollowOptions, type Meaning } from './reconnecting.js';
import type { Transport } from './transport.js';
import type { Schema } from './wire.js';

type TranscriptData = Schema<'SessionTranscriptFrame'>;

export interface SessionFollowOptions extends FollowOptions {
  /**
   * At the end of all turns: `end` (when left out) ends the iteration, `wait` looks for new turns again and again,
   * `sleep` goes on at `wake()`.
   */
  idle?: 'end' | 'wait' | 'sleep';
}

const idleFirstMs = 1000;
const idleLongestMs = 15_000;
/** As long as a timer can be. */
const sleepMs = 2 ** 31 - 1;

/** The frames of a session's v2 stream. Without `after` it begins with the transcript's newest rows. */
export class SessionFollow extends Reconnecting<TranscriptData> {
  /** Of a stream that began without a position: it stands before all frames that are coming. */
  private origin: string | null = null;
  private isReady = false;
  private idleMs = 0;
  /** Of the pause that is or comes: a call between two pauses is not lost. */
  private woken = new AbortController();

  constructor(
    private readonly transport: Transport,
    private readonly sessionId: string,
    private readonly follow: SessionFollowOptions = {},
  ) {
    super(follow);
  }

  /** Ends a pause after the end of all turns: there may be a new one. */
  wake(): void {
    this.woken.abort();
  }

  protected async open(cursor: string | null, signal: AbortSignal): Promise<Response> {
    if (this.idleMs > 0) await this.sleep();
    const path = { session_id: this.sessionId };
    return this.transport.open('GET', '/v1/sessions/{session_id}/transcript/stream', {
      path,
      query: { cursor },
      signal,
    });
  }

  /** While the first frames come under one position, what did not come yet lies before that position too. */
  protected override get resumeAt(): string | null {
    return this.cursor === this.origin ? null : this.cursor;
  }

  protected meaningOf(frame: ReadFrame): Meaning {
    const { event_type: type, resume_cursor: cursor, reason } = frame.data;
    if (type === 'stream.end') return this.end(reason === 'idle');
    if (type === 'stream.ready') {
      this.origin = null;
      this.moveTo(String(cursor));
      if (this.isReady) return 'known';
      this.isReady = true;
      return 'new';
    }
    if (!this.isReady && this.cursor === null && frame.id !== undefined) this.origin = frame.id;
    if (this.isRepeat(frame)) return 'known';
    this.idleMs = 0;
    return 'new';
  }

  private async sleep(): Promise<void> {
    const { signal } = this.woken;
    const ms = this.follow.idle === 'sleep' ? sleepMs : this.idleMs;
    try {
      if (!signal.aborted) await this.wait(ms, signal);
    } catch (error) {
      if (!signal.aborted) throw error; // closed
    }
    this.woken = new AbortController();
  }

  private end(isIdle: boolean): Meaning {
    if (!isIdle) return 'rotate';
    if ((this.follow.idle ?? 'end') === 'end') return 'end';
    this.calm();
    this.idleMs = Math.min(idleLongestMs, Math.max(idleFirstMs, this.idleMs * 1.5));
    return 'rotate';
  }
}
