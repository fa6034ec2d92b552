import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { Clock, LiveBus, StoreUnavailable, notFound, type Identity, type JsonObject, listAt } from '@aos/kernel';
import {
  SessionCursors,
  SessionDirectory,
  TurnReader,
  parseSessionPart,
  previewKey,
  transcriptMessageWire,
  turnWire,
  type LivePreview,
  type SessionState,
  type TurnRecord,
} from '@aos/sessions/published';
import type { SessionNames } from '../frames/encoded.frames.js';
import { previewedRow } from '../frames/live-row.frames.js';
import { previewFrame } from '../frames/v1.frames.js';
import { streamingRowWire } from '../frames/v2.frames.js';
import { snapshotRowsDefault } from '../feed/stream.limits.js';
import { FragmentPages, type FragmentStanding, type PageTexts } from './fragment-pages.js';
import { PageTokens } from './page-token.js';
import { SnapshotPages, type SnapshotPage } from './snapshot-pages.js';

export type SnapshotRange = QueryOf<'getSessionTranscript'>;

/** What a page needs of the folded state, copied before the first await. */
interface Standing extends FragmentStanding {
  open: TurnRecord[];
  nextIndex: Map<string, number>;
  interactions: JsonObject[];
}

@Injectable()
export class TranscriptQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly fragments: FragmentPages,
    private readonly pages: SnapshotPages,
    private readonly cursors: SessionCursors,
    private readonly tokens: PageTokens,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
  ) {}

  /** One page of the v2 snapshot as JSON text (rules F19, F20). */
  async get(who: Identity, sessionId: string, range: SnapshotRange): Promise<string> {
    const { state, revision } = await this.directory.visible(who, sessionId, this.clock.now());
    const standing = standingOf(state, revision);
    const limit = range.limit ?? snapshotRowsDefault;
    if (range.page_token !== undefined) {
      const { direction, cut, at } = this.tokens.open(who.orgId, sessionId, range.page_token);
      return direction === 'back' ? this.olderPage(standing, cut, at, limit) : this.laterPage(standing, cut, at, limit);
    }
    if (range.cursor !== undefined)
      return this.laterPage(standing, revision, this.cursors.open(who.orgId, sessionId, range.cursor), limit);
    return this.olderPage(standing, revision, revision + 1, limit);
  }

  /** The tail first, then page by page toward the beginning. `before` is the first revision of the page before. */
  private async olderPage(standing: Standing, cut: number, before: number, limit: number): Promise<string> {
    const { orgId, sessionId } = standing.names;
    const isFirst = before > cut;
    const page =
      (await this.fragments.back(standing, before - 1, cut, limit)) ??
      textsOf(
        await this.pages.back(sessionId, before - 1, cut, limit, isFirst ? undefined : standing.finalAt),
        standing.names,
      );
    const next =
      page.next === null ? null : this.tokens.seal(orgId, sessionId, { direction: 'back', cut, at: page.next });
    return this.wire(standing, isFirst ? withOpen(page, standing.open) : page, cut, next, isFirst || next === null);
  }

  private async laterPage(standing: Standing, cut: number, after: number, limit: number): Promise<string> {
    const { orgId, sessionId } = standing.names;
    const end = Math.max(cut, after);
    const page = textsOf(await this.pages.on(sessionId, after, end, limit), standing.names);
    const next =
      page.next === null ? null : this.tokens.seal(orgId, sessionId, { direction: 'on', cut: end, at: page.next });
    const isCurrent = next === null && end === standing.revision;
    return this.wire(standing, isCurrent ? withOpen(page, standing.open) : page, end, next, next === null);
  }

  private async wire(
    standing: Standing,
    page: PageTexts,
    cut: number,
    nextToken: string | null,
    withLive: boolean,
  ): Promise<string> {
    const { names } = standing;
    const messages = [...page.messages];
    if (withLive) for (const row of await this.streaming(standing)) messages.push(JSON.stringify(row));
    const rest: JsonObject = {
      interactions: [...(await this.pages.whole(names.orgId, standing.interactions))],
      has_more: nextToken !== null,
      resume_cursor: this.cursors.seal(names.orgId, names.sessionId, cut),
    };
    if (nextToken !== null) rest.next_page_token = nextToken;
    const turns = page.turns.map(({ text }) => text);
    return `{"messages":[${messages.join(',')}],"turns":[${turns.join(',')}],${JSON.stringify(rest).slice(1)}`;
  }

  /** Rows that are being written. They are live only: without the bus there are none. */
  private async streaming({ names, nextIndex }: Standing): Promise<JsonObject[]> {
    if (nextIndex.size === 0) return [];
    const rows: JsonObject[] = [];
    for (const preview of (await previewsOf(this.bus, names.sessionId)).values()) {
      if (preview.turn_index < (nextIndex.get(preview.turn_id) ?? Infinity)) continue;
      rows.push(streamingRowWire(previewedRow(preview), names));
    }
    return rows;
  }
}

@Injectable()
export class TurnLiveQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly turns: TurnReader,
    private readonly bus: LiveBus,
    private readonly clock: Clock,
  ) {}

  /** The live snapshot of a turn (rule T21). */
  async get(who: Identity, sessionId: string, turnId: string): Promise<Reply<'getSessionTurnLive'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const parsed = parseSessionPart(turnId, 'turn');
    if (parsed?.sessionId !== sessionId || listAt(state.queuedAt, parsed.ordinal) === undefined) throw notFound('turn');
    const open = state.open.get(turnId);
    const names = { orgId: who.orgId, sessionId, agentId: state.opening?.agent_id ?? '' };
    const nextIndex = open?.nextIndex ?? Infinity;
    const turn = open?.turn ?? (await this.turns.turn(sessionId, state, parsed.ordinal));
    const preview = open ? (await previewsOf(this.bus, sessionId)).get(turnId) : undefined;
    if (!preview || preview.turn_index < nextIndex) {
      return { session_id: sessionId, turn_id: turnId, frames: [], last_live_sequence: 0, updated_at: turn.updated_at };
    }
    return {
      session_id: sessionId,
      turn_id: turnId,
      frames: [previewFrame(previewedRow(preview), names).payload],
      last_live_sequence: preview.last_live_sequence,
      updated_at: preview.updated_at,
    };
  }
}

async function previewsOf(bus: LiveBus, sessionId: string): Promise<Map<string, LivePreview>> {
  try {
    const fields = await bus.preview(previewKey(sessionId));
    return new Map([...fields].map(([turnId, text]) => [turnId, JSON.parse(text) as LivePreview]));
  } catch (error) {
    if (error instanceof StoreUnavailable) return new Map();
    throw error;
  }
}

function textsOf({ rows, turns, next }: SnapshotPage, { sessionId, agentId }: SessionNames): PageTexts {
  return {
    messages: rows.map((row) => JSON.stringify(transcriptMessageWire(row, sessionId, agentId))),
    turns: turns.map(turnText),
    next,
  };
}

function turnText(turn: TurnRecord): PageTexts['turns'][number] {
  return { id: turn.id, text: JSON.stringify(turnWire(turn)) };
}

function withOpen(page: PageTexts, open: readonly TurnRecord[]): PageTexts {
  const ids = new Set(open.map(({ id }) => id));
  return { ...page, turns: [...page.turns.filter(({ id }) => !ids.has(id)), ...open.map(turnText)] };
}

function standingOf(state: SessionState, revision: number): Standing {
  const { opening } = state;
  if (!opening) throw notFound('session');
  return {
    names: { orgId: opening.org_id, sessionId: opening.id, agentId: opening.agent_id },
    revision,
    sequence: state.sequence,
    open: [...state.open.values()].map(({ turn }) => turn),
    nextIndex: new Map([...state.open].map(([id, open]) => [id, open.nextIndex])),
    queuedAt: state.queuedAt,
    finalAt: state.finalAt,
    interactions: [...state.interactions.values()],
  };
}
