import { Injectable } from '@nestjs/common';
import { Clock, ReadStore, type Identity, type QueryCursor } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { isExpired } from '../session/lifecycle.decide.js';
import type { SessionOpening } from '../session/session.events.js';
import { sessionRows } from '../session/session.projection.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { withinReach } from '../session/session.wire.js';

const countMax = 1_000_000;
const pageSize = 100;
/** Sessions that one look for shared ones goes through. */
const lookedAtMax = 1000;

/** A session that others than its owner reach through its agent. */
export interface SharedSession {
  id: string;
  title: string;
  owner: SessionOpening['owner'];
}

/** The sessions of one agent, for a look at what a change of its audience would do (rule TE11). */
@Injectable()
export class AgentSessions {
  constructor(
    private readonly readStore: ReadStore,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** The people who own sessions of an agent, by id, from behind the one given; up to `max`. */
  async owners(orgId: string, agentId: string, after: string, max: number): Promise<string[]> {
    const owners: string[] = [];
    let last: string | null = after;
    while (last !== null && owners.length < max) {
      last = await this.ownerBehind(orgId, agentId, last);
      if (last !== null) owners.push(last);
    }
    return owners;
  }

  /** How many sessions of an agent a person owns. */
  countOf(orgId: string, agentId: string, ownerId: string): Promise<number> {
    const where = [
      { index: 'agent', eq: agentId },
      { index: 'owner', eq: ownerId },
    ];
    return sessionRows.count(this.readStore, { scope: [orgId], where }, countMax);
  }

  /** Sessions of the organization's audience that the caller owns or the team does, newest activity first. */
  async shared(who: Identity, agentId: string, max: number): Promise<SharedSession[]> {
    const found: SharedSession[] = [];
    let after: QueryCursor | null = null;
    for (let seen = 0; seen < lookedAtMax && found.length < max; seen += pageSize) {
      const page: Awaited<ReturnType<typeof sessionRows.query>> = await sessionRows.query(this.readStore, {
        scope: [who.orgId],
        where: [{ index: 'agent', eq: agentId }],
        orderBy: { index: 'activity', direction: 'desc' },
        limit: pageSize,
        ...(after ? { after } : {}),
      });
      for (const { key } of page.rows) {
        const { state } = await this.decisions.load(sessionKind, key);
        const shared = this.sharedWith(who, state);
        if (shared) found.push(shared);
      }
      after = page.next;
      if (!after) break;
    }
    return found.slice(0, max);
  }

  private sharedWith(who: Identity, state: SessionState): SharedSession | null {
    const { opening } = state;
    if (!opening || !withinReach(state, who) || isExpired(state, this.clock.now())) return null;
    const { id, owner, visibility } = opening;
    const isOthers = owner.kind === 'person' && owner.id !== who.principalId;
    return visibility === 'organization' && !isOthers ? { id, title: state.title, owner } : null;
  }

  private async ownerBehind(orgId: string, agentId: string, last: string): Promise<string | null> {
    const { rows, next } = await sessionRows.query(this.readStore, {
      scope: [orgId],
      where: [
        { index: 'agent', eq: agentId },
        { index: 'owner', gt: last },
      ],
      orderBy: { index: 'owner', direction: 'asc' },
      limit: 1,
    });
    const [row] = rows;
    if (!row) return null;
    if (typeof next?.value === 'string') return next.value;
    // the last row: its owner stands in its stream
    const { state } = await this.decisions.load(sessionKind, row.key);
    const owner = state.opening?.owner.id ?? null;
    return owner !== null && owner > last ? owner : null;
  }
}
