import { Refusal, StoreUnavailable, impliedPermissions, type Identity } from '@aos/kernel';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { PinoLog, StreamSlots } from '@aos/platform';
import { SharedStreamSlots, type SharedMembers } from './shared-stream-slots.js';

const clock = new ManualClock();
const log = PinoLog.create({ app: 'test', level: 'silent', pretty: false });

/** The shared store as all gateways see it; it can be down, and it can lose what it has. */
class FakeMembers implements SharedMembers {
  readonly sets = new Map<string, Map<string, number>>();
  isDown = false;
  renewals = 0;

  join(
    orgId: string,
    member: string,
    sets: readonly { name: string; limit: number }[],
    forMs: number,
  ): Promise<{ full: number; counts: number[] }> {
    if (this.isDown) return Promise.reject(new StoreUnavailable('down'));
    const found = sets.map(({ name }) => this.members(orgId, name));
    const counts = found.map(({ size }) => size);
    const full = sets.findIndex(({ limit }, index) => (counts[index] ?? 0) >= limit);
    if (full < 0) for (const members of found) members.set(member, clock.monotonic() + forMs);
    return Promise.resolve({ full, counts });
  }

  renew(orgId: string, set: string, members: readonly string[], forMs: number): Promise<void> {
    if (this.isDown) return Promise.reject(new StoreUnavailable('down'));
    this.renewals += 1;
    for (const member of members) this.members(orgId, set).set(member, clock.monotonic() + forMs);
    return Promise.resolve();
  }

  leave(orgId: string, member: string, sets: readonly string[]): Promise<void> {
    if (this.isDown) return Promise.reject(new StoreUnavailable('down'));
    for (const set of sets) this.members(orgId, set).delete(member);
    return Promise.resolve();
  }

  members(orgId: string, set: string): Map<string, number> {
    const members = this.sets.get(`${orgId}/${set}`) ?? new Map<string, number>();
    this.sets.set(`${orgId}/${set}`, members);
    for (const [member, until] of members) if (until <= clock.monotonic()) members.delete(member);
    return members;
  }
}

const ids = new CountingIds();
const who = (key: string, orgId = 'org_1'): Identity => ({
  orgId,
  principalId: 'svc_1',
  kind: 'service',
  apiKeyId: key,
  permissions: impliedPermissions(['svc.org.admin']),
  roles: [],
  cap: null,
  requestId: 'r',
  ip: null,
});

function gateways(shared: SharedMembers, limits: { perKey: number; perOrg: number; perProcess?: number }) {
  const gateway = () => {
    const local = new StreamSlots({ perProcess: 0, ...limits });
    return { local, slots: new SharedStreamSlots(shared, local, limits, { clock, log, ids }) };
  };
  return [gateway(), gateway()] as const;
}

async function refusalOf(taking: Promise<unknown>): Promise<unknown> {
  const error: unknown = await taking.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Refusal)) throw new Error(`no refusal: ${String(error)}`);
  return [error.code, error.details];
}

describe('stream slots that doors share', () => {
  it('cap a key and an organization across doors', async () => {
    const [one, other] = gateways(new FakeMembers(), { perKey: 2, perOrg: 3 });
    const release = await one.slots.take(who('a'));
    await other.slots.take(who('a'));
    expect(await refusalOf(one.slots.take(who('a')))).toEqual([
      'rate_limit_exceeded',
      { scope: 'key', open_streams: 2, limit: 2 },
    ]);
    await other.slots.take(who('b'));
    expect(await refusalOf(one.slots.take(who('c')))).toEqual([
      'rate_limit_exceeded',
      { scope: 'org', open_streams: 3, limit: 3 },
    ]);
    await one.slots.take(who('a', 'org_2'));
    expect([one.local.open, other.local.open]).toEqual([2, 2]);
    release();
    release();
    await other.slots.take(who('a'));
    expect([one.local.open, other.local.open]).toEqual([1, 3]);
  });

  it('keep the cap of the process local, and ask nobody where there is no other', async () => {
    const shared = new FakeMembers();
    const [one, other] = gateways(shared, { perKey: 0, perOrg: 0, perProcess: 1 });
    await one.slots.take(who('a'));
    await other.slots.take(who('a'));
    expect(await refusalOf(one.slots.take(who('a')))).toEqual([
      'rate_limit_exceeded',
      { scope: 'process', open_streams: 1, limit: 1 },
    ]);
    expect(shared.sets.size).toBe(0);
  });

  it('of a door that is gone free themselves; those of a living one stay', async () => {
    const [gone, living] = gateways(new FakeMembers(), { perKey: 2, perOrg: 0 });
    await gone.slots.take(who('a'));
    await living.slots.take(who('a'));
    gone.slots.close();
    for (let seconds = 0; seconds < 30; seconds += 5) {
      expect(await refusalOf(living.slots.take(who('a')))).toMatchObject(['rate_limit_exceeded', { scope: 'key' }]);
      clock.advance(5_000);
    }
    await living.slots.take(who('a'));
    expect(await refusalOf(living.slots.take(who('a')))).toMatchObject(['rate_limit_exceeded', { scope: 'key' }]);
  });

  it('are counted by each door for itself while the store is down, and for all when it is back', async () => {
    const shared = new FakeMembers();
    const [one, other] = gateways(shared, { perKey: 2, perOrg: 0 });
    shared.isDown = true;
    const release = await one.slots.take(who('a'));
    await one.slots.take(who('a'));
    expect(await refusalOf(one.slots.take(who('a')))).toMatchObject(['rate_limit_exceeded', { scope: 'key' }]);
    await other.slots.take(who('a'));
    release();
    clock.advance(10_000);
    shared.isDown = false;
    await eventually('both streams being counted', async () => {
      clock.advance(10_000);
      return shared.members('org_1', 'k:a').size === 2;
    });
    expect(await refusalOf(other.slots.take(who('a')))).toMatchObject(['rate_limit_exceeded', { scope: 'key' }]);
  });
});
