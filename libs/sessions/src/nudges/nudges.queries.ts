import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { Clock, type Identity } from '@aos/kernel';
import { CursorSeal, Decisions, pageLimitDefault, listScope, positionOf } from '@aos/platform';
import { NudgeReader, nudgeOrdinal } from '../reading/nudge-reader.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { sessionKind } from '../session/session.state.js';

const scanMax = 2000;

export type NudgeFilter = QueryOf<'listSessionNudges'>;

/** Nudges as the routes show them. */
@Injectable()
export class NudgeQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly nudges: NudgeReader,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, sessionId: string, nudgeId: string): Promise<Reply<'getSessionNudge'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    return this.nudges.wire(sessionId, state, nudgeOrdinal(state, sessionId, nudgeId));
  }

  /** Nudges in creation order; `order=desc` takes the page from the newest end (rules G5, N10). */
  async list(who: Identity, sessionId: string, filter: NudgeFilter): Promise<Reply<'listSessionNudges'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const limit = filter.limit ?? pageLimitDefault;
    const descending = filter.order === 'desc';
    const wanted = filter.status ? new Set(filter.status) : null;
    const scope = listScope(who.orgId, `nudges/${sessionId}`, {
      descending,
      status: filter.status ? [...filter.status].sort() : null,
    });
    const position = positionOf(this.seal, scope, filter.cursor);
    const count = state.nudgeCount;
    const items: Schema<'SessionNudge'>[] = [];
    let index = position === null ? (descending ? count - 1 : 0) : Number(position);
    let scanned = 0;
    for (; index >= 0 && index < count && scanned < scanMax; index += descending ? -1 : 1, scanned += 1) {
      const { state: current } = await this.decisions.load(sessionKind, sessionId);
      const nudge = await this.nudges.wire(sessionId, current, index);
      if (wanted && !wanted.has(nudge.status)) continue;
      if (items.length === limit) break;
      items.push(nudge);
    }
    const more = index >= 0 && index < count;
    return {
      items: descending ? items.reverse() : items,
      has_more: more,
      next_cursor: more ? this.seal.seal(String(index), scope) : null,
    };
  }
}
