import { Injectable } from '@nestjs/common';
import type { QueryOf, Reply, Schema } from '@aos/contract';
import { Clock, ReadStore, badRequest, type Condition, type Identity } from '@aos/kernel';
import {
  CursorSeal,
  Decisions,
  Projectors,
  cursorFromText,
  cursorToText,
  listScope,
  pageLimitDefault,
  positionOf,
  scannedPage,
  visiblePage,
} from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { hasPart, metadataEntries } from '../session/finding.decide.js';
import { isExpired } from '../session/lifecycle.decide.js';
import { activityOf, sessionRows, type SessionRow } from '../session/session.projection.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionWire, withinReach } from '../session/session.wire.js';

type FoundRow = { key: string; doc: SessionRow };
export type SessionFilter = QueryOf<'listSessions'>;

/**
 * Whether a session has what a list or a look-up asks for, beside its agent and key (rules S49, S50). Refuses
 * bad_request.
 */
export function isSought(state: SessionState, filter: SessionFilter): boolean {
  const { opening, title, metadata, status } = state;
  if (!opening) return false;
  const since = sinceOf(filter);
  if (since !== null && activityOf(state, opening) <= since) return false;
  if (filter.status !== undefined && status !== filter.status) return false;
  if (filter.provider !== undefined && metadata?.provider !== filter.provider) return false;
  if (filter.integration_id !== undefined && metadata?.integration_id !== filter.integration_id) return false;
  if (filter.q !== undefined && !hasPart([title, opening.session_key], filter.q)) return false;
  if (filter.owner_id !== undefined && opening.owner.id !== filter.owner_id) return false;
  const entries = filter.metadata?.length ? metadataEntries(metadata) : [];
  return (filter.metadata ?? []).every((entry) => entries.includes(entry));
}

/** The `since` of a filter, in the form that activity is compared in; null without one. Refuses bad_request. */
function sinceOf({ since }: SessionFilter): string | null {
  if (since === undefined) return null;
  const time = Date.parse(since);
  if (Number.isNaN(time)) throw badRequest([{ path: 'query.since', message: 'must be a time' }]);
  return new Date(time).toISOString();
}

/** The list of sessions, newest activity first: rows find them, their streams give them fresh. */
@Injectable()
export class SessionList {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly seal: CursorSeal,
    private readonly clock: Clock,
    private readonly projectors: Projectors,
  ) {}

  /** Refuses bad_request, invalid_cursor, service_unavailable. */
  async page(who: Identity, filter: SessionFilter): Promise<Reply<'listSessions'>> {
    this.projectors.requireCaughtUp(sessionRows.name);
    const where = await this.conditions(who, filter);
    const scope = listScope(who.orgId, 'sessions', { ...filter });
    const position = positionOf(this.seal, scope, filter.cursor);
    const page = {
      limit: filter.limit ?? pageLimitDefault,
      after: position === null ? null : cursorFromText(position),
      cursorOf: ({ key, doc }: FoundRow) => ({ value: doc.activity, key }),
    };
    const orderBy = { index: 'activity', direction: 'desc', everyRow: true } as const;
    const query = { collection: sessionRows, scope: [who.orgId], where, orderBy };
    const { q } = filter;
    const shown = ({ key }: FoundRow) => this.visibleWire(who, key, filter);
    const { items, next } = await (q === undefined
      ? visiblePage(this.readStore, query, { ...page, hidesRest: true }, shown)
      : scannedPage(this.readStore, query, page, async (row) =>
          hasPart([row.doc.title, row.doc.session_key], q) ? shown(row) : null,
        ));
    return { items, has_more: next !== null, next_cursor: next ? this.seal.seal(cursorToText(next), scope) : null };
  }

  private async conditions(who: Identity, filter: SessionFilter): Promise<Condition[]> {
    const where: Condition[] = [];
    const agentId =
      filter.agent_id ??
      (filter.agent_name === undefined
        ? undefined
        : ((await this.agents.agentByName(who.orgId, filter.agent_name))?.id ?? ''));
    if (agentId !== undefined) where.push({ index: 'agent', eq: agentId });
    if (filter.status !== undefined) where.push({ index: 'status', eq: filter.status });
    if (filter.owner_id !== undefined) where.push({ index: 'owner', eq: filter.owner_id });
    if (filter.provider !== undefined) where.push({ index: 'provider', eq: filter.provider });
    if (filter.integration_id !== undefined) where.push({ index: 'integration', eq: filter.integration_id });
    for (const entry of new Set(filter.metadata)) where.push({ index: 'metadata', has: entry });
    const since = sinceOf(filter);
    if (since !== null) where.push({ index: 'activity', gt: since });
    return where;
  }

  private async visibleWire(
    who: Identity,
    sessionId: string,
    filter: SessionFilter,
  ): Promise<Schema<'Session'> | null> {
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    if (!withinReach(state, who) || isExpired(state, this.clock.now()) || !isSought(state, filter)) return null;
    const wire = sessionWire(state, revision, who);
    const agent = await this.agents.agent(who.orgId, state.opening?.agent_id ?? '');
    return agent && !this.agents.canSee(agent, who) ? null : wire;
  }
}
