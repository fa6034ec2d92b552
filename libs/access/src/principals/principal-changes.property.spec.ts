import fc from 'fast-check';
import { MemoryEventStore, MemoryBlobs, MemoryLiveBus, MemoryReadStore, MemorySnapshots } from '@aos/adapters/memory';
import { Refusal, StoreUnavailable, fold, idPart, upcast, type RecordedEvent } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { Decisions, Payloads, WriterProjections, serviceActor } from '@aos/platform';
import { assignmentsProjection } from '../principal/assignments.projection.js';
import { systemRoleId } from '../role/system-roles.js';
import { AccessChanges } from '../changes/access-changes.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { OrganizationSalts } from '../organization/salts.js';
import { organizationEvents, type OrganizationEvent } from '../organization/organization.events.js';
import { organizationKind } from '../organization/organization.state.js';
import { assignmentId } from '../principal/principal.ids.js';
import { organizationDecider } from '../organization.decider.js';
import { principalDecider } from '../principal.decider.js';
import { principalEvents, type PrincipalEvent, type PrincipalRecord } from '../principal/principal.events.js';
import { isActiveOwner, principalKind, type PrincipalState } from '../principal/principal.state.js';
import { RoleReader } from '../role/role-reader.js';
import { PrincipalChanges } from './principal-changes.js';

const orgId = `org_${'0'.repeat(26)}`;
const actor = serviceActor(orgId, 'svc_operator', 'test');
const at = '2026-01-01T00:00:00.000Z';
const ownerRoleId = systemRoleId('salt', 'Owner');
const people = ['a', 'b', 'c'].map((letter) => `user_${letter.repeat(26)}`);

type Action = 'assign' | 'unassign' | 'disable' | 'enable' | 'delete' | 'ensure';
interface Step {
  action: Action;
  person: number;
  process: number;
  crash: number | null;
}

class Crash extends Error {}

/** One log and two processes; every append waits for the scheduler, so that all orders of appends occur. */
function world(schedule: fc.Scheduler) {
  const clock = new ManualClock();
  const store = new MemoryEventStore({
    clock,
    soleWriter: false,
    faults: {
      beforeAppend: async () => {
        await schedule.schedule(Promise.resolve());
      },
    },
  });
  const readStore = new MemoryReadStore();
  const bus = new MemoryLiveBus({
    clock,
    onTrouble: (error) => {
      throw error;
    },
  });
  const processes = [0, 1].map(() => {
    const projections = new WriterProjections(readStore);
    projections.register(assignmentsProjection);
    const decisions = new Decisions(
      store,
      new MemorySnapshots(),
      new Payloads(new MemoryBlobs()),
      bus,
      projections,
      clock,
      new CountingIdsOfProcess(),
    );
    const access = new AccessDecisions(decisions, new AccessChanges(bus));
    return { decisions, access, roles: new RoleReader(decisions, new OrganizationSalts(decisions)) };
  });
  return { store, readStore, processes };
}

let processCount = 0;
/** Ids of two processes must not meet. */
class CountingIdsOfProcess extends CountingIds {
  private readonly mine = (processCount += 1).toString(16).padStart(8, '0');
  override uuid(): string {
    return this.mine + super.uuid().slice(8);
  }
}

function change(changes: PrincipalChanges, action: Action, person: string): Promise<unknown> {
  const grant = {
    assignment_id: assignmentId(person, ownerRoleId),
    role_id: ownerRoleId,
    granted_by: 'x',
    granted_at: at,
  };
  const { assignRole, unassignRole, changePrincipal, deletePrincipal } = principalDecider;
  switch (action) {
    case 'assign':
      return changes.change(assignRole, person, actor, { grant });
    case 'unassign':
      return changes.change(unassignRole, person, actor, { roleId: ownerRoleId, at });
    case 'disable':
      return changes.change(changePrincipal, person, actor, { at, state: 'disabled' });
    case 'enable':
      return changes.change(changePrincipal, person, actor, { at, state: 'active' });
    case 'delete':
      return changes.change(deletePrincipal, person, actor, { at });
    default:
      return changes.ensureEntered(actor, person);
  }
}

/** Stops a caller after so many of its appends: what a crash leaves behind. */
function crashing(access: AccessDecisions, after: number | null): AccessDecisions {
  let left = after ?? Number.POSITIVE_INFINITY;
  return new Proxy(access, {
    get(target, member, receiver) {
      if (member !== 'decide') return Reflect.get(target, member, receiver) as unknown;
      return async (...parameters: Parameters<AccessDecisions['decide']>) => {
        if (left <= 0) throw new Crash();
        left -= 1;
        return target.decide(...parameters);
      };
    },
  });
}

function check(log: RecordedEvent[]): void {
  const organization = organizationKind.initial();
  const principals = new Map<string, { state: PrincipalState; revision: number }>();
  let hadOwner = false;
  for (const event of log) {
    if (event.stream === `org-${idPart(orgId)}`) {
      organizationKind.evolve(
        organization,
        upcast(organizationEvents, event.type, event.data, 1) as OrganizationEvent,
        event.revision,
      );
    } else {
      const id = event.stream.slice('principal-'.length);
      const known = principals.get(id) ?? { state: principalKind.initial(), revision: -1 };
      principals.set(id, {
        state: fold(
          principalKind,
          [upcast(principalEvents, event.type, event.data, 1) as PrincipalEvent],
          known.state,
          known.revision,
        ),
        revision: event.revision,
      });
    }
    const active = [...principals].filter(([, { state }]) => isActiveOwner(state, ownerRoleId)).map(([id]) => id);
    for (const counted of organization.owners.keys()) expect(active).toContain(counted);
    hadOwner ||= organization.owners.size > 0;
    if (hadOwner) expect(active.length).toBeGreaterThan(0);
  }
}

describe('the set of Owners', () => {
  it('never counts somebody who is gone, and never loses its last, in any order of appends and with crashes in between', async () => {
    const step = fc.record({
      action: fc.constantFrom<Action>(
        'assign',
        'assign',
        'assign',
        'unassign',
        'unassign',
        'disable',
        'enable',
        'delete',
        'ensure',
        'ensure',
      ),
      person: fc.nat(people.length - 1),
      process: fc.nat(1),
      crash: fc.option(fc.integer({ min: 0, max: 2 }), { nil: null, freq: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), fc.scheduler(), async (steps, schedule) => {
        const { store, readStore, processes } = world(schedule);
        const log: RecordedEvent[] = [];
        await schedule.waitFor(seed(processes[0]));
        await schedule.waitFor(Promise.all(steps.map((one) => perform(one, processes, readStore))));
        for (const stream of [`org-${idPart(orgId)}`, ...people.map((id) => `principal-${id}`)])
          log.push(...(await store.read(stream, { limit: 4096 })));
        log.sort((one, other) => (one.position < other.position ? -1 : 1));
        check(log);
      }),
      { numRuns: 1500 },
    );
  });
});

type World = ReturnType<typeof world>;

async function seed(process: World['processes'][number] | undefined): Promise<void> {
  if (!process) throw new Error('no process');
  const created = { org_id: orgId, name: 'o', salt: 'salt', created_at: at };
  await process.decisions.decide(organizationDecider.createOrganization, idPart(orgId), actor, created);
  for (const id of people) {
    const principal: PrincipalRecord = {
      id,
      org_id: orgId,
      kind: 'human',
      name: id,
      description: null,
      email: null,
      owner_id: null,
      metadata: null,
      tags: {},
      created_at: at,
      updated_at: at,
    };
    await process.decisions.decide(principalDecider.createPrincipal, id, actor, { principal, grants: [] });
  }
}

async function perform(
  { action, person, process, crash }: Step,
  processes: World['processes'],
  readStore: MemoryReadStore,
): Promise<void> {
  const own = processes[process];
  const id = people[person];
  if (!own || !id) throw new Error('no such step');
  const changes = new PrincipalChanges(crashing(own.access, crash), own.roles, readStore);
  try {
    await change(changes, action, id);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Crash || error instanceof StoreUnavailable)) throw error;
  }
}
