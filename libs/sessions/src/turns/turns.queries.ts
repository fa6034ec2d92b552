import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, type Identity, type JsonObject, listLength } from '@aos/kernel';
import { CursorSeal, Decisions, pageLimitDefault, listScope, positionOf } from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { parseSessionPart } from '../session/session.ids.js';
import { sessionKind } from '../session/session.state.js';
import { turnWire } from '../session/session.wire.js';
import { ordinalOf } from './turns.handlers.js';
import { TurnReader } from '../reading/turn-reader.js';

export class GetTurn extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly turnId: string,
  ) {
    super();
  }
}

@QueryHandler(GetTurn)
export class GetTurnHandler implements IQueryHandler<GetTurn> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly reader: TurnReader,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, turnId }: GetTurn): Promise<JsonObject> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    return turnWire(await this.reader.turn(sessionId, state, ordinalOf(state, sessionId, turnId)));
  }
}

export interface TurnFilter {
  ids?: string[];
  order?: 'asc' | 'desc';
  limit?: number;
  cursor?: string;
}

export class ListTurns extends Query<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly filter: TurnFilter,
  ) {
    super();
  }
}

/** Turns oldest first; `order=desc` takes the page from the newest end (rules G5, T17). */
@QueryHandler(ListTurns)
export class ListTurnsHandler implements IQueryHandler<ListTurns> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly decisions: Decisions,
    private readonly reader: TurnReader,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, filter }: ListTurns): Promise<JsonObject> {
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

  private async turns(sessionId: string, ordinals: number[]): Promise<JsonObject[]> {
    const turns: JsonObject[] = [];
    for (const ordinal of ordinals) {
      const { state } = await this.decisions.load(sessionKind, sessionId);
      turns.push(turnWire(await this.reader.turn(sessionId, state, ordinal)));
    }
    return turns;
  }
}
