import fc from 'fast-check';
import { Refusal, StoreUnavailable } from '@aos/kernel';
import { agentKind, type NewAgent } from '../agent/agent.state.js';
import { CreateAgent } from '../agents/agents.handlers.js';
import { agentResource } from '../resources/agent-resource.js';
import { backend, definitionsProcess, newWorld, orgId, type World } from '../testing/definitions.fixture.js';

type Step =
  | { do: 'create'; name: string; ref: string | null; adopt: boolean }
  | { do: 'rename'; which: number; name: string }
  | { do: 'identify'; which: number; ref: string; name: string | null }
  | { do: 'delete'; which: number };

const names = fc.constantFrom('a', 'b', 'c');
const refs = fc.constantFrom('r', 's');
const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('create' as const), name: names, ref: fc.option(refs), adopt: fc.boolean() }),
  fc.record({ do: fc.constant('rename' as const), which, name: names }),
  fc.record({ do: fc.constant('identify' as const), which, ref: refs, name: fc.option(names) }),
  fc.record({ do: fc.constant('delete' as const), which }),
);
/** Steps that race with one another, and which appends of that round die: before they are written or after. */
const round = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  deaths: fc.array(fc.record({ append: fc.nat(8), after: fc.boolean() }), { maxLength: 2 }),
});

type Process = ReturnType<typeof definitionsProcess>;

class Run {
  readonly world: World = newWorld({ replicas: true });
  private readonly processes: readonly Process[] = [definitionsProcess(this.world), definitionsProcess(this.world)];
  /** Ids that the log gave, in order. */
  readonly acknowledged = new Map<string, 'live' | 'deleted' | 'unknown'>();

  async round({ steps, deaths }: { steps: Step[]; deaths: { append: number; after: boolean }[] }): Promise<void> {
    let appends = -1;
    const dies = (after: boolean) => deaths.some((death) => death.append === appends && death.after === after);
    this.world.store.faults = {
      beforeAppend: () => {
        appends += 1;
        if (dies(false)) throw new StoreUnavailable('killed before');
      },
      afterAppend: () => {
        if (dies(true)) throw new StoreUnavailable('killed after');
      },
    };
    await Promise.all(steps.map((each, index) => this.take(each, this.processes[index % 2] as Process)));
    this.world.store.faults = {};
  }

  private async take(wanted: Step, process: Process): Promise<void> {
    const id = 'which' in wanted ? ([...this.acknowledged.keys()][wanted.which] ?? 'agent_none') : '';
    try {
      if (wanted.do === 'create') {
        const body: NewAgent = {
          name: wanted.name,
          visibility: 'organization',
          ...(wanted.ref ? { external_ref: wanted.ref } : {}),
          if_exists: wanted.adopt && wanted.ref ? 'adopt' : 'error',
        };
        const { agent } = await process.createAgent.execute(new CreateAgent(backend, { body }));
        if (!this.acknowledged.has(String(agent.id))) this.acknowledged.set(String(agent.id), 'live');
      } else if (wanted.do === 'delete') {
        await process.remove(agentResource, backend, id);
        this.acknowledged.set(id, 'deleted');
      } else {
        const body =
          wanted.do === 'rename'
            ? { name: wanted.name }
            : { external_ref: wanted.ref, ...(wanted.name ? { name: wanted.name } : {}) };
        await process.change(agentResource, backend, id, body);
      }
    } catch (error) {
      if (error instanceof StoreUnavailable && wanted.do === 'delete' && this.acknowledged.get(id) === 'live')
        this.acknowledged.set(id, 'unknown');
      if (!(error instanceof Refusal) && !(error instanceof StoreUnavailable)) throw error;
    }
  }

  /** All agents as their streams have them. */
  async agents(): Promise<{ id: string; name: string; ref: string | undefined; deleted: boolean }[]> {
    const streams = new Set<string>();
    const seen = this.world.store.subscribe(
      {
        name: 'check',
        prefixes: ['agent-'],
        from: 'start',
        onCaughtUp: () => {
          settle();
        },
      },
      async (events) => {
        for (const { stream } of events) streams.add(stream.slice('agent-'.length));
      },
    );
    let settle = (): void => undefined;
    await new Promise<void>((resolve) => {
      settle = resolve;
    });
    await seen.close();
    const reader = definitionsProcess(this.world);
    return Promise.all(
      [...streams].map(async (id) => {
        const latest = await reader.streams.latest(agentKind, orgId, id);
        if (!latest) throw new Error(`${id} has no record`);
        return {
          id,
          name: latest.record.wire.name,
          ref: latest.record.wire.external_ref,
          deleted: latest.record.deleted_at !== null,
        };
      }),
    );
  }
}

describe('names and outside identities under races and deaths', () => {
  it('have one bearer each at any time, and nothing acknowledged is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 6 }), async (rounds) => {
        const run = new Run();
        for (const each of rounds) {
          await run.round(each);
          const agents = await run.agents();
          const live = agents.filter(({ deleted }) => !deleted);
          expect(new Set(live.map(({ name }) => name)).size).toBe(live.length);
          const identified = agents.filter(({ ref }) => ref !== undefined);
          expect(new Set(identified.map(({ ref }) => ref)).size).toBe(identified.length);
          const known = new Map(agents.map((agent) => [agent.id, agent]));
          for (const [id, fate] of run.acknowledged) {
            if (fate === 'live') expect(known.get(id)).toMatchObject({ deleted: false });
            if (fate === 'deleted') expect(known.get(id)).toMatchObject({ deleted: true });
          }
        }
        const service = definitionsProcess(run.world);
        for (const name of ['a', 'b', 'c']) {
          const before = (await run.agents()).filter((agent) => !agent.deleted && agent.name === name);
          const found = await service.agents.agentByName(orgId, name);
          if (before.length > 0) expect(found?.id).toBe(before[0]?.id);
          if (!found)
            await service.createAgent.execute(new CreateAgent(backend, { body: { name, visibility: 'organization' } }));
        }
      }),
      { numRuns: 800, seed: 20260101 },
    );
  });
});
