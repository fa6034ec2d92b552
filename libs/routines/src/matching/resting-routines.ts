import { Injectable } from '@nestjs/common';
import { ReadStore, collectionOf, type QueryCursor, type RecordedEvent } from '@aos/kernel';
import { OccurrenceStarts } from '../occurrences/occurrence-starts.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routinesPerOrganizationMax } from '../routine/routine.limits.js';
import { routinesProjection } from '../routine/routine.projection.js';
import { ListeningRoutines } from './listening-routines.js';

const page = 200;
/** What takes a connection away from those that rest on it. */
const takesAway: ReadonlySet<string> = new Set([
  'ConnectionGranted',
  'ConnectionDeleted',
  'PrincipalDisabled',
  'PrincipalDeleted',
]);

/** Stops the routines that lost what they rest on: their agent, or a connection (rule TE27). */
@Injectable()
export class RestingRoutines {
  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: RoutineDirectory,
    private readonly listening: ListeningRoutines,
    private readonly starts: OccurrenceStarts,
  ) {}

  /** Streams whose events `follow` looks at. */
  static readonly prefixes = ['connection-', 'principal-'] as const;

  isFollowed({ stream, type }: RecordedEvent): boolean {
    return takesAway.has(type) && RestingRoutines.prefixes.some((prefix) => stream.startsWith(prefix));
  }

  /** Asks each active routine of the organization that rests on a connection whether it can go on. */
  async follow({ meta }: RecordedEvent): Promise<void> {
    const orgId = meta.org_id ?? '';
    let after: QueryCursor | null = null;
    let seen = 0;
    do {
      const found: { rows: { key: string }[]; next: QueryCursor | null } = await this.readStore.query({
        collection: collectionOf(routinesProjection),
        scope: [orgId],
        where: [{ index: 'standing', eq: 'yes' }],
        limit: page,
        ...(after && { after }),
      });
      for (const { key } of found.rows) await this.look(orgId, key);
      seen += found.rows.length;
      after = found.next;
    } while (after && seen <= 2 * routinesPerOrganizationMax);
  }

  /** An agent that is gone, or may not use a connection any more, stops the routines that rest on it. */
  async agentChanged(orgId: string, agentId: string): Promise<void> {
    for (const { routine } of await this.listening.of(orgId)) {
      if (routine.agent_id === agentId) await this.starts.isFaulty(routine);
    }
  }

  /** Asks a routine that rests on a connection, and was stored, changed or fired, whether it can go on. */
  async look(orgId: string, routineId: string): Promise<void> {
    const routine = await this.directory.find(orgId, routineId);
    if (routine?.status === 'active' && (routine.rests_on ?? []).length > 0) await this.starts.isFaulty(routine);
  }
}
