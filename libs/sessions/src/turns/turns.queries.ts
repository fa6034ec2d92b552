import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import {
  Clock,
  ReadStore,
  badRequest,
  jsonSize,
  rfc3339,
  type Condition,
  type Identity,
  listLength,
} from '@aos/kernel';
import {
  CursorSeal,
  Decisions,
  Projectors,
  cursorFromText,
  cursorToText,
  pageLimitDefault,
  listScope,
  pageBytesMax,
  positionOf,
  visiblePage,
} from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { TurnReader, turnOrdinal } from '../reading/turn-reader.js';
import { parseSessionPart } from '../session/session.ids.js';
import { sessionKind } from '../session/session.state.js';
import { turnWire } from '../session/session.wire.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { turnRows } from '../session/turns.projection.js';

export type TurnFilter = QueryOf<'listSessionTurns'>;
export type TurnsFilter = QueryOf<'listTurns'>;

/** Turns as the routes show them. */
@Injectable()
export class TurnQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly reader: TurnReader,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
    private readonly readStore: ReadStore,
    private readonly projectors: Projectors,
  ) {}

  /** Refuses not_found. */
  async get(who: Identity, sessionId: string, turnId: string): Promise<Reply<'getSessionTurn'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    return turnWire(await this.reader.turn(sessionId, state, turnOrdinal(state, sessionId, turnId)));
  }

  /** Turns oldest first; `order=desc` takes the page from the newest end (rules G5, T17). */
  async list(who: Identity, sessionId: string, filter: TurnFilter): Promise<Reply<'listSessionTurns'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const count = listLength(state.queuedAt);
    if (filter.ids) {
      const ordinals = [...new Set(filter.ids)]
        .map((id) => parseSessionPart(id, 'turn'))
        .flatMap((parsed) =>
          parsed && parsed.sessionId === sessionId && parsed.ordinal < count ? [parsed.ordinal] : [],
        )
        .sort((a, b) => a - b);
      const items: Schema<'AgentTurn'>[] = [];
      for (const ordinal of ordinals) items.push(await this.turn(sessionId, ordinal));
      return { items, has_more: false };
    }
    const limit = filter.limit ?? pageLimitDefault;
    const descending = filter.order === 'desc';
    const scope = listScope(who.orgId, `turns/${sessionId}`, { descending });
    const position = positionOf(this.seal, scope, filter.cursor);
    const from = position === null ? (descending ? count - 1 : 0) : Number(position);
    const items: Schema<'AgentTurn'>[] = [];
    let bytes = 0;
    let ordinal = from;
    for (; ordinal >= 0 && ordinal < count && items.length < limit; ordinal += descending ? -1 : 1) {
      const turn = await this.turn(sessionId, ordinal);
      bytes += jsonSize(turn);
      if (items.length > 0 && bytes > pageBytesMax) break; // outputs may be large
      items.push(turn);
    }
    const more = ordinal >= 0 && ordinal < count;
    if (descending) items.reverse();
    return { items, has_more: more, next_cursor: more ? this.seal.seal(String(ordinal), scope) : null };
  }

  /** Turns of all sessions within reach, newest first (rules G5, T35). Refuses bad_request. */
  async listAll(who: Identity, filter: TurnsFilter): Promise<Reply<'listTurns'>> {
    this.projectors.requireCaughtUp(turnRows.name);
    const { agent_id: agentId, since, limit = pageLimitDefault } = filter;
    const statuses = [...new Set(filter.status ?? [])].sort();
    const at = since === undefined ? null : Date.parse(since);
    if (Number.isNaN(at)) throw badRequest([{ path: 'query.since', message: 'must be a time' }]);
    const where: Condition[] = [
      ...(statuses.length === 0 ? [] : [{ index: 'status', in: statuses }]),
      ...(agentId === undefined ? [] : [{ index: 'agent', eq: agentId }]),
      ...(at === null ? [] : [{ index: 'created', gte: rfc3339(at) }]),
    ];
    const scope = listScope(who.orgId, 'turns', { status: statuses, agent_id: agentId, since: at });
    const position = positionOf(this.seal, scope, filter.cursor);
    const { items, next } = await visiblePage(
      this.readStore,
      {
        collection: turnRows,
        scope: [who.orgId],
        where,
        orderBy: { index: 'created', direction: 'desc', everyRow: true },
      },
      { limit, after: position === null ? null : cursorFromText(position), large: true, hidesRest: true },
      ({ doc }) => this.listed(who, doc.session_id, doc.turn_id, statuses),
    );
    return { items, has_more: next !== null, next_cursor: next ? this.seal.seal(cursorToText(next), scope) : null };
  }

  /** The turn of a row as it is now; null when it is out of reach, or of another status by now. */
  private async listed(
    who: Identity,
    sessionId: string,
    turnId: string,
    statuses: readonly string[],
  ): Promise<Schema<'AgentTurn'> | null> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    if (isExpired(state, this.clock.now()) || !(await this.directory.reaches(who, state))) return null;
    const turn = await this.reader.turn(sessionId, state, turnOrdinal(state, sessionId, turnId));
    return statuses.length === 0 || statuses.includes(turn.status) ? turnWire(turn) : null;
  }

  private async turn(sessionId: string, ordinal: number): Promise<Schema<'AgentTurn'>> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    return turnWire(await this.reader.turn(sessionId, state, ordinal));
  }
}
