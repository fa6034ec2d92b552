import { Injectable } from '@nestjs/common';
import type { Reply, Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import type { RosterEntry } from '../routine/routine.events.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { rosterWire } from '../routine/routine.wire.js';

/** Who follows a routine, answers for it and manages it. */
@Injectable()
export class RosterQueries {
  constructor(
    private readonly directory: RoutineDirectory,
    private readonly principals: PrincipalReader,
  ) {}

  /** Refuses not_found. */
  async list(who: Identity, routineId: string): Promise<Reply<'listRoutinePrincipals'>> {
    const { roster } = await this.directory.visible(who, routineId);
    return { items: await this.wire(who, roster) };
  }

  /** Entries with the names that their principals have now. */
  wire(who: Identity, roster: readonly RosterEntry[]): Promise<Schema<'RoutinePrincipal'>[]> {
    return Promise.all(
      roster.map(async (entry) => {
        const found = await this.principals.findFor(who, entry.principal_id);
        return { ...rosterWire(entry), ...(found && { display_name: found.principal.name }) };
      }),
    );
  }
}
