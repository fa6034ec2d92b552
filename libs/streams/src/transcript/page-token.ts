import { Injectable } from '@nestjs/common';
import { Refusal } from '@aos/kernel';
import { CursorSeal } from '@aos/platform';

/** Where the next snapshot page begins (rule F20). */
export interface PagePosition {
  /** `back`: the tail page came first, older ones follow; `on`: pages go forward. */
  direction: 'back' | 'on';
  /** Revision at which the snapshot stands; the same for all its pages. */
  cut: number;
  /** Last revision that belongs to the pages before (`on`), or the first one (`back`). */
  at: number;
}

const form = /^(back|on):(\d{1,15}):(-1|\d{1,15})$/;

/** Opaque `next_page_token`s of transcript snapshots, good for one session. */
@Injectable()
export class PageTokens {
  constructor(private readonly seals: CursorSeal) {}

  seal(orgId: string, sessionId: string, { direction, cut, at }: PagePosition): string {
    return this.seals.seal(`${direction}:${cut}:${at}`, { orgId, list: `transcript-page/${sessionId}` });
  }

  /** Refuses `invalid_cursor`. */
  open(orgId: string, sessionId: string, token: string): PagePosition {
    const match = form.exec(this.seals.open(token, { orgId, list: `transcript-page/${sessionId}` }));
    if (!match) throw new Refusal('invalid_cursor', {}, 'the page token was not issued for this transcript');
    return { direction: match[1] as 'back' | 'on', cut: Number(match[2]), at: Number(match[3]) };
  }
}
