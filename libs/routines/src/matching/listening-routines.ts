import { Injectable } from '@nestjs/common';
import { ReadStore, GenerationalCache, StoreUnavailable, type QueryCursor, collectionOf } from '@aos/kernel';
import { Projectors } from '@aos/platform';
import { parseCondition } from '../pattern/condition.decide.js';
import type { RoutineEventTrigger, RoutineRecord } from '../routine/routine.events.js';
import { routinesPerOrganizationMax } from '../routine/routine.limits.js';
import { RoutineDirectory } from '../routine/routine-directory.js';
import { routinesProjection } from '../routine/routine.projection.js';
import { listens } from '../routine/routine.state.js';

const organizationsMax = 5000;
const page = 200;

/** A routine that listens, with its condition read. */
export interface Listening {
  routine: RoutineRecord;
  trigger: RoutineEventTrigger;
  holds: ReturnType<typeof parseCondition>;
}

type ById = Map<string, Listening>;

/**
 * The routines that listen to events, by organization: read once from the list, then kept as their streams tell. Who
 * asks reads those streams in the same order as the events, so that a routine is known before anything that comes after
 * it.
 */
@Injectable()
export class ListeningRoutines {
  private readonly organizations = new GenerationalCache<ById>(organizationsMax);

  constructor(
    private readonly readStore: ReadStore,
    private readonly directory: RoutineDirectory,
    private readonly projectors: Projectors,
  ) {}

  /** In order of id, that is of creation. */
  async of(orgId: string): Promise<readonly Listening[]> {
    const known = await this.loaded(orgId);
    return known.size === 0 ? [] : [...known.values()].sort((a, b) => (a.routine.id < b.routine.id ? -1 : 1));
  }

  /** Whether it is known, without a look, that an organization has none. */
  hasNone(orgId: string): boolean {
    return this.organizations.get(orgId)?.size === 0;
  }

  /** A routine's stream has moved. */
  async changed(orgId: string, routineId: string): Promise<void> {
    const known = await this.loaded(orgId);
    put(known, routineId, await this.directory.find(orgId, routineId));
  }

  clear(): void {
    this.organizations.clear();
  }

  private async loaded(orgId: string): Promise<ById> {
    const known = this.organizations.get(orgId);
    if (known) return known;
    const collection = collectionOf(routinesProjection);
    this.projectors.requireCaughtUp(collection);
    if ((await this.readStore.checkpoint(collection)) === null)
      throw new StoreUnavailable(`${collection} is being built`);
    const found: ById = new Map();
    let after: QueryCursor | null = null;
    do {
      const rows: { rows: { key: string }[]; next: QueryCursor | null } = await this.readStore.query({
        collection,
        scope: [orgId],
        where: [{ index: 'listens', eq: 'yes' }],
        limit: page,
        ...(after ? { after } : {}),
      });
      for (const { key } of rows.rows) put(found, key, await this.directory.find(orgId, key));
      after = rows.next;
    } while (after && found.size <= 2 * routinesPerOrganizationMax);
    this.organizations.set(orgId, found);
    return found;
  }
}

function put(known: ById, id: string, routine: RoutineRecord | null): void {
  if (!routine?.event || !listens(routine)) known.delete(id);
  else
    known.set(id, {
      routine,
      trigger: routine.event,
      holds: routine.event.condition === undefined ? () => true : parseCondition(routine.event.condition),
    });
}
