import fc from 'fast-check';
import { MemoryEventStore } from '@aos/adapters/memory';
import { Refusal, StoreUnavailable } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import { Names, type NamedResource } from './names.js';

const orgId = 'org_o';
const actor = serviceActor(orgId, 'svc_one', 'r1');

type Step = { do: 'create'; name: string } | { do: 'delete'; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('delete' as const), which: fc.nat(5) }),
);
/** Steps that race with one another, and which writes of that round die: before they are written or after. */
const round = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  deaths: fc.array(fc.record({ write: fc.nat(8), after: fc.boolean() }), { maxLength: 2 }),
});

/** Two processes on one log, and the resources that both see. */
class Run {
  private readonly clock = new ManualClock();
  private readonly store = new MemoryEventStore({ clock: this.clock, soleWriter: false });
  private readonly ids = new CountingIds();
  private readonly processes = [this.process(), this.process()];
  private deaths: { write: number; after: boolean }[] = [];
  private writes = -1;
  private made = 0;
  readonly resources = new Map<string, { name: string; isDeleted: boolean }>();
  /** Ids that were acknowledged, and how they were left. */
  readonly acknowledged = new Map<string, 'live' | 'deleted' | 'unknown'>();

  async round({ steps, deaths }: { steps: Step[]; deaths: { write: number; after: boolean }[] }): Promise<void> {
    this.deaths = deaths;
    this.writes = -1;
    this.store.faults = { beforeAppend: () => this.before(), afterAppend: () => this.after() };
    await Promise.all(steps.map((each, index) => this.take(each, this.processes[index % 2] as Names)));
    this.store.faults = {};
    this.deaths = [];
  }

  resolve(name: string): Promise<string | null> {
    return this.process().resolve(orgId, this.resource, name);
  }

  private async take(wanted: Step, names: Names): Promise<void> {
    const id = wanted.do === 'create' ? `role_${(this.made += 1)}` : [...this.acknowledged.keys()][wanted.which];
    if (id === undefined) return;
    try {
      if (wanted.do === 'create') await this.create(names, id, wanted.name);
      else await this.delete(names, id);
    } catch (error) {
      if (error instanceof StoreUnavailable && wanted.do === 'delete' && this.acknowledged.get(id) === 'live')
        this.acknowledged.set(id, 'unknown');
      if (!(error instanceof Refusal) && !(error instanceof StoreUnavailable)) throw error;
    }
  }

  private async create(names: Names, id: string, name: string): Promise<void> {
    await names.create(actor, this.resource, { name, resourceId: id, definition: { id, name } });
    if (!this.acknowledged.has(id)) this.acknowledged.set(id, 'live');
  }

  private async delete(names: Names, id: string): Promise<void> {
    const resource = this.resources.get(id);
    if (!resource) return;
    this.before();
    resource.isDeleted = true;
    this.acknowledged.set(id, 'deleted');
    this.after();
    await names.release(actor, 'role', resource.name, id);
  }

  private readonly resource: NamedResource = {
    type: 'role',
    status: async (id) => {
      const resource = this.resources.get(id);
      return resource ? (resource.isDeleted ? 'deleted' : 'live') : 'missing';
    },
    create: async (_actor, definition) => {
      const { id, name } = definition as { id: string; name: string };
      await new Promise((resolve) => setImmediate(resolve)); // others look at the claim meanwhile
      this.before();
      if (!this.resources.has(id)) this.resources.set(id, { name, isDeleted: false });
      this.after();
    },
  };

  private before(): void {
    this.writes += 1;
    if (this.dies(false)) throw new StoreUnavailable('killed before');
  }

  private after(): void {
    if (this.dies(true)) throw new StoreUnavailable('killed after');
  }

  private dies(after: boolean): boolean {
    return this.deaths.some((death) => death.write === this.writes && death.after === after);
  }

  private process(): Names {
    const decisions = memoryDecisions({ store: this.store, clock: this.clock, ids: this.ids });
    return new Names(decisions);
  }
}

describe('names of roles, principals and keys under races and deaths (rule R43)', () => {
  it('have one live bearer at any time, and nothing acknowledged is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
        const run = new Run();
        for (const each of rounds) {
          await run.round(each);
          const live = [...run.resources].filter(([, { isDeleted }]) => !isDeleted);
          expect(new Set(live.map(([, { name }]) => name)).size).toBe(live.length);
          for (const [id, fate] of run.acknowledged)
            if (fate !== 'unknown') expect(run.resources.get(id)?.isDeleted).toBe(fate === 'deleted');
        }
        for (const wanted of ['a', 'b']) {
          const [bearer] = [...run.resources].filter(([, { name, isDeleted }]) => name === wanted && !isDeleted);
          const found = await run.resolve(wanted);
          if (bearer) expect(found).toBe(bearer[0]);
          else if (found !== null) expect(run.resources.get(found)).toEqual({ name: wanted, isDeleted: false });
        }
      }),
      { numRuns: 800, seed: 20260102 },
    );
  });
});
