import { Injectable } from '@nestjs/common';
import { Refusal } from '@aos/kernel';
import { CursorSeal } from '@aos/platform';

const revisionText = /^(-1|0|[1-9][0-9]{0,14})$/;

/**
 * Positions in a session's v2 transcript: the revision of its stream, opaque to clients and of no use for another
 * session or organization.
 *
 * A cursor stands right behind its revision: what follows begins at the next one; -1 is before everything.
 * Source: rules F12, T5; ADR 9.
 */
@Injectable()
export class SessionCursors {
  constructor(private readonly seals: CursorSeal) {}

  seal(orgId: string, sessionId: string, revision: number): string {
    return this.seals.seal(String(revision), { orgId, list: `transcript/${sessionId}` });
  }

  /** Gives the revision. Refuses `invalid_cursor` for what was not sealed for this session of this organization. */
  open(orgId: string, sessionId: string, cursor: string): number {
    const text = this.seals.open(cursor, { orgId, list: `transcript/${sessionId}` });
    if (!revisionText.test(text))
      throw new Refusal('invalid_cursor', {}, 'the cursor was not issued for this transcript');
    return Number(text);
  }
}
