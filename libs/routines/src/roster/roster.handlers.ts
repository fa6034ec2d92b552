import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, invalidArgument, rfc3339 } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import { routineDecider } from '../routine.decider.js';
import type { RosterEntry } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { AddRoutinePrincipal, RemoveRoutinePrincipal } from './roster.commands.js';
import { RosterQueries } from './roster.queries.js';

@CommandHandler(AddRoutinePrincipal)
export class AddRoutinePrincipalHandler implements ICommandHandler<AddRoutinePrincipal> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly principals: PrincipalReader,
    private readonly rosters: RosterQueries,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses as `addToRoster`; invalid_argument {argument: principal_id} for an id of no principal of the organization,
   * {argument: level} for a relationship other than following.
   */
  async execute({ who, input }: AddRoutinePrincipal): Promise<Reply<'addRoutinePrincipal'>> {
    const { routine_id: routineId, body } = input;
    const { principal_id: id, relationship, level } = body;
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
    const command = { entry, caller: who, now };
    const { state } = await this.decisions.decide(routineDecider.addToRoster, routineId, actorOf(who), command);
    return { items: await this.rosters.wire(who, state.routine?.roster ?? []) };
  }
}

@CommandHandler(RemoveRoutinePrincipal)
export class RemoveRoutinePrincipalHandler implements ICommandHandler<RemoveRoutinePrincipal> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: RoutineDirectory,
    private readonly clock: Clock,
  ) {}

  /** Refuses as `removeFromRoster`. */
  async execute({ who, input }: RemoveRoutinePrincipal): Promise<void> {
    const { routine_id: routineId, principal_id: principalId, relationship } = input;
    await this.directory.visible(who, routineId);
    const command = { principalId, relationship, caller: who, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(routineDecider.removeFromRoster, routineId, actorOf(who), command);
  }
}
