import { Injectable } from '@nestjs/common';
import { invalidArgument, type Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import type { RosterEntry, RoutineRecord, RoutineRelationship } from '../routine/routine.events.js';
import { rosterMax } from '../routine/routine.limits.js';
import type { CreateRoutineDto } from './routines.dto.js';

/** Rosters of new routines. */
@Injectable()
export class NewRosters {
  constructor(private readonly principals: PrincipalReader) {}

  /** The roster that a body names. A person who owns the routine is responsible when the body names no other. */
  async of(who: Identity, body: CreateRoutineDto, owner: RoutineRecord['owner'], now: string): Promise<RosterEntry[]> {
    const responsible = body.responsible_principal_ids ?? (owner.id === null ? [] : [owner.id]);
    const named = [...new Set(responsible)].map((id): [RoutineRelationship, string, string] => [
      'responsible',
      id,
      'responsible_principal_ids',
    ]);
    for (const id of new Set(body.follower_principal_ids)) named.push(['follower', id, 'follower_principal_ids']);
    if (named.length > rosterMax)
      throw invalidArgument('responsible_principal_ids', `a roster has at most ${rosterMax} entries`, {
        limit: rosterMax,
      });
    return Promise.all(
      named.map(async ([relationship, id, argument]): Promise<RosterEntry> => {
        const found = await this.principals.findFor(who, id);
        if (!found)
          throw invalidArgument(argument, 'no such principal', { reason: 'unknown_principal', principal_id: id });
        return {
          principal_id: id,
          relationship,
          ...(relationship === 'follower' && { level: 'all_results' as const }),
          kind: found.principal.kind,
          added_by: who.principalId,
          added_at: now,
        };
      }),
    );
  }
}
