import { Injectable } from '@nestjs/common';
import { Clock, invalidArgument, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import type { FollowLevel, RosterEntry, RoutineRelationship } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routineKind } from '../routine/routine.state.js';
import { rosterWire } from '../routine/routine.wire.js';
import { addToRoster, removeFromRoster } from './roster.decide.js';

export interface AddPrincipal {
  principal_id: string;
  relationship: RoutineRelationship;
  level?: FollowLevel;
}

/** Who follows a routine, answers for it and manages it. */
@Injectable()
export class Rosters {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly principals: PrincipalReader,
    private readonly clock: Clock,
  ) {}

  /** Refuses not_found. */
  async list(who: Identity, routineId: string): Promise<JsonObject> {
    const { roster } = await this.directory.visible(who, routineId);
    return { items: await this.wire(who, roster) };
  }

  /**
   * Refuses as `addToRoster`; invalid_argument {argument: principal_id} for an id of no principal of the organization,
   * {argument: level} for a relationship other than following.
   */
  async add(
    who: Identity,
    routineId: string,
    { principal_id: id, relationship, level }: AddPrincipal,
  ): Promise<JsonObject> {
    await this.directory.visible(who, routineId);
    if (level !== undefined && relationship !== 'follower') throw invalidArgument('level', 'only followers have one');
    const found = await this.principals.findFor(who, id);
    if (!found) throw invalidArgument('principal_id', 'no such principal', { reason: 'unknown_principal' });
    const now = rfc3339(this.clock.now());
    const entry: RosterEntry = {
      principal_id: id,
      relationship,
      kind: found.principal.kind,
      added_by: who.principalId,
      added_at: now,
      ...(relationship === 'follower' && { level: level ?? ('all_results' as const) }),
    };
    const { state } = await this.decisions.run(routineKind, routineId, actorOf(who), (past) =>
      addToRoster({ entry, caller: who, now }, past),
    );
    return { items: await this.wire(who, state.routine?.roster ?? []) };
  }

  /** Refuses as `removeFromRoster`. */
  async remove(
    who: Identity,
    routineId: string,
    principalId: string,
    relationship: RoutineRelationship | null,
  ): Promise<void> {
    await this.directory.visible(who, routineId);
    const command = { principalId, relationship, caller: who, now: rfc3339(this.clock.now()) };
    await this.decisions.run(routineKind, routineId, actorOf(who), (past) => removeFromRoster(command, past));
  }

  private wire(who: Identity, roster: readonly RosterEntry[]): Promise<JsonObject[]> {
    return Promise.all(
      roster.map(async (entry) => {
        const found = await this.principals.findFor(who, entry.principal_id);
        return { ...rosterWire(entry), ...(found && { display_name: found.principal.name }) };
      }),
    );
  }
}
