import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { ReadStore, looksLikeId, notFound, type Identity, collectionOf } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { occurrencesProjection } from '../occurrence/occurrence.projection.js';
import { isVisible } from './reach.decide.js';
import type { RoutineRecord } from './routine.events.js';
import { occurrencesCountedMax } from './routine.limits.js';
import { routineKind } from './routine.state.js';
import { routineWire } from './routine.wire.js';
import { RunAs } from './run-as.js';
import { RoutineSources } from './routine-sources.js';
import { isRevoked } from './source.decide.js';

/** Routines, read fresh from their streams. */
@Injectable()
export class RoutineDirectory {
  constructor(
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly runAs: RunAs,
    private readonly sources: RoutineSources,
    private readonly readStore: ReadStore,
  ) {}

  /** Null for an id that is unknown or of another organization. */
  async find(orgId: string, routineId: string): Promise<RoutineRecord | null> {
    if (!looksLikeId('rtn', routineId)) return null;
    const { state, revision } = await this.decisions.load(routineKind, routineId);
    if (revision < 0) this.decisions.forget(routineKind, routineId);
    return state.routine?.org_id === orgId ? state.routine : null;
  }

  /** As `find`, within a caller's reach. Refuses not_found. */
  async visible(who: Identity, routineId: string): Promise<RoutineRecord> {
    const routine = await this.find(who.orgId, routineId);
    if (!routine || !(await this.sees(who, routine))) throw notFound('routine');
    return routine;
  }

  async sees(who: Identity, routine: RoutineRecord): Promise<boolean> {
    if (!isVisible(routine, who)) return false;
    const agent = await this.agents.agent(who.orgId, routine.agent_id);
    return agent === null || this.agents.canSee(agent, who);
  }

  /** The record as its reader sees it. */
  async view(who: Identity, routine: RoutineRecord): Promise<Schema<'Routine'>> {
    const fired = {
      collection: collectionOf(occurrencesProjection),
      scope: [routine.org_id],
      where: [{ index: 'fired', eq: routine.id }],
    };
    const occurrenceCount = await this.readStore.count(fired, occurrencesCountedMax);
    const newest =
      occurrenceCount === 0
        ? null
        : (await this.readStore.query({ ...fired, orderBy: { index: 'created', direction: 'desc' }, limit: 1 }))
            .rows[0];
    const at = newest?.doc.scheduled_at;
    return routineWire(routine, {
      readerId: who.principalId,
      occurrenceCount,
      lastFireAt: typeof at === 'string' ? at : routine.last_fire_at,
    });
  }

  /**
   * Why a routine cannot go on as things are: its agent or its owner is gone, or its source was revoked; null when it
   * can.
   */
  async fault(routine: RoutineRecord): Promise<'agent_unavailable' | 'owner_unavailable' | 'source_revoked' | null> {
    const agent = await this.agents.agent(routine.org_id, routine.agent_id);
    if (!agent || agent.deleted) return 'agent_unavailable';
    if (isRevoked(routine.event, routine.source_bound, agent.wire.integration_access)) return 'source_revoked';
    if (!(await this.runAs.identity(routine, routine.id))) return 'owner_unavailable';
    return (await this.sources.isRevoked(routine)) ? 'source_revoked' : null;
  }
}
