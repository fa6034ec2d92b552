import { MemoryEventStore } from '@aos/adapters/memory';
import { ManualClock } from '@aos/kernel/testing';
import { serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { JsonObject } from '@aos/kernel';
import { Names, type NamedResource } from './names.js';

const actor = serviceActor('org_o', 'svc_one', 'r1');

/** Resources that are kept in a map, so that each step between claim and creation can be left out. */
function world() {
  const clock = new ManualClock();
  const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock });
  const made = new Map<string, { definition: JsonObject; by: string; eventId: string; deleted: boolean }>();
  const resource = (dies = false): NamedResource => ({
    type: 'role',
    status: async (id) => (made.get(id) ? (made.get(id)?.deleted ? 'deleted' : 'live') : 'missing'),
    create: async ({ principalId }, definition, eventId) => {
      if (dies) throw new Error('died');
      const id = String(definition.id);
      if (!made.has(id)) made.set(id, { definition, by: principalId, eventId, deleted: false });
    },
  });
  const claim = (id: string) => ({ name: 'n', resourceId: id, definition: { id } });
  return { names: new Names(decisions), made, resource, claim };
}

describe('a name', () => {
  it('belongs to one live resource', async () => {
    const { names, resource, claim } = world();
    await names.create(actor, resource(), claim('a'));
    await expect(names.create(actor, resource(), claim('b'))).rejects.toMatchObject({
      code: 'already_exists',
      details: { resource_id: 'a' },
    });
    expect(await names.resolve('org_o', resource(), 'n')).toBe('a');
    expect(await names.resolve('org_x', resource(), 'n')).toBeNull();
  });

  it('claimed by one who died is completed by whoever meets it, in the name of the claimer', async () => {
    const { names, made, resource, claim } = world();
    await expect(names.create(actor, resource(true), claim('a'))).rejects.toThrow('died');
    await expect(names.create(serviceActor('org_o', 'svc_two', 'r2'), resource(), claim('b'))).rejects.toMatchObject({
      details: { resource_id: 'a' },
    });
    expect(made.get('a')).toMatchObject({ by: 'svc_one', definition: { id: 'a' } });
  });

  it('of a deleted resource is taken over; its late release changes nothing', async () => {
    const { names, made, resource, claim } = world();
    await names.create(actor, resource(), claim('a'));
    made.set('a', { ...made.get('a'), deleted: true } as never);
    await names.create(actor, resource(), claim('b'));
    await names.release(actor, 'role', 'n', 'a');
    expect(await names.resolve('org_o', resource(), 'n')).toBe('b');
  });

  it('is free after its release', async () => {
    const { names, resource, claim } = world();
    await names.create(actor, resource(), claim('a'));
    await names.release(actor, 'role', 'n', 'a');
    expect(await names.resolve('org_o', resource(), 'n')).toBeNull();
    await names.create(actor, resource(), claim('b'));
  });

  it('goes to one of many who want it at once', async () => {
    const { names, made, resource, claim } = world();
    const outcomes = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((id) => names.create(actor, resource(), claim(id))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(made.size).toBe(1);
  });
});
