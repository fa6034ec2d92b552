import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { Clock, type Identity, listLength } from '@aos/kernel';
import { CursorSeal, Decisions, pageLimitDefault, listScope, positionOf } from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { TurnReader, turnOrdinal } from '../reading/turn-reader.js';
import { parseSessionPart } from '../session/session.ids.js';
import { sessionKind } from '../session/session.state.js';
import { turnWire } from '../session/session.wire.js';

export type TurnFilter = QueryOf<'listSessionTurns'>;

/** Turns as the routes show them. */
@Injectable()
export class TurnQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly reader: TurnReader,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
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
      return { items: await this.turns(sessionId, ordinals), has_more: false };
    }
    const limit = filter.limit ?? pageLimitDefault;
    const descending = filter.order === 'desc';
    const scope = listScope(who.orgId, `turns/${sessionId}`, { descending });
    const position = positionOf(this.seal, scope, filter.cursor);
    const from = position === null ? (descending ? count - 1 : 0) : Number(position);
    const ordinals: number[] = [];
    for (let index = 0; index < limit; index += 1) {
      const ordinal = descending ? from - index : from + index;
      if (ordinal >= 0 && ordinal < count) ordinals.push(ordinal);
    }
    const rest = descending ? from - limit : from + limit;
    const more = descending ? rest >= 0 : rest < count;
    const items = await this.turns(
      sessionId,
      ordinals.sort((a, b) => a - b),
    );
    return { items, has_more: more, next_cursor: more ? this.seal.seal(String(rest), scope) : null };
  }

  private async turns(sessionId: string, ordinals: number[]): Promise<Schema<'AgentTurn'>[]> {
    const turns: Schema<'AgentTurn'>[] = [];
    for (const ordinal of ordinals) {
      const { state } = await this.decisions.load(sessionKind, sessionId);
      turns.push(turnWire(await this.reader.turn(sessionId, state, ordinal)));
    }
    return turns;
  }
}
