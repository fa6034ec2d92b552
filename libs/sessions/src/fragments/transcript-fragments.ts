import { Injectable } from '@nestjs/common';
import { GenerationalCache } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { SessionFragments, sessionBytesMax } from './session-fragments.js';

/** What all fragments of a process weigh at most. */
export const fragmentBytesMax = 64 * 1024 * 1024;
const sessionsMax = 20_000;

interface Kept {
  session: SessionFragments;
  /** As it was when it was put here: the cache asks for it again. */
  weight: number;
}

/**
 * Transcripts as JSON text, for reads that come again: sessions least recently read go first. A deleted session's go at
 * once in the process that deletes it; elsewhere no read reaches them any more, and they go with their turn.
 */
@Injectable()
export class TranscriptFragments {
  /** Two generations, each of half of this and one session more. */
  private readonly sessions = new GenerationalCache<Kept>(sessionsMax, {
    weightMax: fragmentBytesMax - 2 * sessionBytesMax,
    weigh: ({ weight }) => weight,
  });
  private readonly forgotten = new WeakSet<SessionFragments>();

  constructor(private readonly decisions: Decisions) {}

  /** Of a session that the caller may see. */
  of(sessionId: string, agentId: string): SessionFragments {
    const kept = this.sessions.get(sessionId);
    if (kept) return kept.session;
    const session = new SessionFragments(this.decisions, sessionId, agentId, () => {
      if (!this.forgotten.has(session)) this.keep(sessionId, session);
    });
    this.keep(sessionId, session);
    return session;
  }

  forget(sessionId: string): void {
    const kept = this.sessions.get(sessionId);
    if (!kept) return;
    this.forgotten.add(kept.session);
    this.sessions.delete(sessionId);
  }

  private keep(sessionId: string, session: SessionFragments): void {
    this.sessions.set(sessionId, { session, weight: session.weight });
  }
}
