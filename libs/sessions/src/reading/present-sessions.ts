import { Injectable } from '@nestjs/common';
import { Clock, ReadStore } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { sessionKind } from '../session/session.state.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { custodySince, sessionRows, type SessionRow } from '../session/session.projection.js';

/** Which sessions are neither deleted nor expired (rules S40, S42). */
@Injectable()
export class PresentSessions {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /**
   * A row says yes at once. A row that is missing or past its time may only be late, so that the stream itself says no.
   *
   * Gives    null for a session that is gone; else its custody, if that changed since it was opened (rule TE10).
   */
  async find(orgId: string, sessionId: string): Promise<{ custody: SessionRow['custody'] | null } | null> {
    const now = this.clock.now();
    const row = await sessionRows.get(this.readStore, [orgId], sessionId);
    if (row && !isPast(row.doc.expires_at, now)) return { custody: row.doc.custody ?? null };
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const isPresent = state.opening?.org_id === orgId && state.status !== 'deleted' && !isExpired(state, now);
    return isPresent ? { custody: custodySince(state) } : null;
  }
}

function isPast(expiresAt: unknown, now: number): boolean {
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= now;
}
