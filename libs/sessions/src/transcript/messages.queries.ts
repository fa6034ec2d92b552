import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply } from '@aos/contract';
import { Clock, notFound, type Identity, listAt } from '@aos/kernel';
import { Decisions, pageLimitDefault } from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { parseSessionPart } from '../session/session.ids.js';
import type { SessionState } from '../session/session.state.js';
import { messageWire, type MessageWire } from '../session/session.wire.js';
import { TurnReader } from '../reading/turn-reader.js';
import { CallOutcomes } from '../reading/call-outcomes.js';
import { TranscriptRows, revisionBefore, type RowPage } from '../reading/transcript-rows.js';

export type MessageFilter = QueryOf<'listSessionMessages'>;
export type MessagePage = Omit<Reply<'listSessionMessages'>, 'items'> & { items: MessageWire[] };

/** Rows of transcripts as the routes show them. */
@Injectable()
export class MessageQueries {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly rows: TranscriptRows,
    private readonly reader: TurnReader,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** Rows of a session (rule S25). */
  async ofSession(who: Identity, sessionId: string, filter: MessageFilter): Promise<MessagePage> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const agentId = state.opening?.agent_id ?? '';
    const page = await readPage(this.rows, sessionId, state, filter, 0, Number.POSITIVE_INFINITY);
    return pageWire(await settled(this.decisions, sessionId, state, page), sessionId, agentId);
  }

  /** Rows of one turn, its context rows among them when asked for. */
  async ofTurn(who: Identity, turnId: string, filter: MessageFilter): Promise<MessagePage> {
    const parsed = parseSessionPart(turnId, 'turn');
    if (!parsed) throw notFound('turn');
    const { state } = await this.directory.visible(who, parsed.sessionId, this.clock.now());
    if (listAt(state.queuedAt, parsed.ordinal) === undefined) throw notFound('turn');
    const agentId = state.opening?.agent_id ?? '';
    const span = await this.reader.rowSpan(parsed.sessionId, state, parsed.ordinal);
    const page = await readPage(this.rows, parsed.sessionId, state, filter, span.after, span.before, turnId);
    return pageWire(await settled(this.decisions, parsed.sessionId, state, page), parsed.sessionId, agentId);
  }
}

async function readPage(
  rows: TranscriptRows,
  sessionId: string,
  state: SessionState,
  filter: MessageFilter,
  after: number,
  before: number,
  turnId?: string,
): Promise<RowPage> {
  const limit = filter.limit ?? pageLimitDefault;
  const shown = {
    context: filter.include === 'context',
    partials: filter.include_terminal_partials === true,
    ...(turnId ? { turnId } : {}),
  };
  const from = Math.max(after, filter.after_sequence ?? 0);
  const to = Math.min(before, filter.before_sequence ?? Number.POSITIVE_INFINITY);
  return filter.order === 'desc'
    ? rows.before(sessionId, state, to, limit, shown, from)
    : rows.after(sessionId, state, from, limit, shown, to);
}

/** The page with how each tool call ended (rule S39). */
async function settled(decisions: Decisions, sessionId: string, state: SessionState, page: RowPage): Promise<RowPage> {
  const rows = page.rows.map((row) => ({ row, revision: revisionBefore(state, row.sequence) }));
  return { rows: await new CallOutcomes().settle(decisions, sessionId, rows), more: page.more };
}

function pageWire({ rows, more }: RowPage, sessionId: string, agentId: string): MessagePage {
  const wire: MessagePage = { items: rows.map((row) => messageWire(row, sessionId, agentId)), has_more: more };
  const [first] = rows;
  const last = rows.at(-1);
  if (first && last) {
    wire.next_sequence = last.sequence;
    wire.prev_sequence = first.sequence;
  }
  return wire;
}
