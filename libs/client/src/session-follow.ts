import type { ReadFrame } from './frames.js';
import { Reconnecting, type FollowOptions, type Meaning } from './reconnecting.js';
import type { Transport } from './transport.js';
import type { Schema } from './wire.js';

type TranscriptData = Schema<'SessionTranscriptFrame'>;

export interface SessionFollowOptions extends FollowOptions {
  /** At the end of all turns: `end` (when left out) ends the iteration, `wait` looks for new turns again and again. */
  idle?: 'end' | 'wait';
}

const idleFirstMs = 1000;
const idleLongestMs = 15_000;

/** The frames of a session's v2 stream. Without `after` it begins with the transcript's newest rows. */
export class SessionFollow extends Reconnecting<TranscriptData> {
  /** Of a stream that began without a position: it stands before all that is being told. */
  private origin: string | null = null;
  private isReady = false;
  private idleMs = 0;

  constructor(
    private readonly transport: Transport,
    private readonly sessionId: string,
    private readonly follow: SessionFollowOptions = {},
  ) {
    super(follow);
  }

  protected async open(cursor: string | null, signal: AbortSignal): Promise<Response> {
    if (this.idleMs > 0) await this.wait(this.idleMs);
    const path = { session_id: this.sessionId };
    return this.transport.open('GET', '/v1/sessions/{session_id}/transcript/stream', {
      path,
      query: { cursor },
      signal,
    });
  }

  /** While the first frames come under one position, what was not told yet lies before that position too. */
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

  private end(isIdle: boolean): Meaning {
    if (!isIdle) return 'rotate';
    if (this.follow.idle !== 'wait') return 'end';
    this.idleMs = Math.min(idleLongestMs, Math.max(idleFirstMs, this.idleMs * 1.5));
    return 'rotate';
  }
}
