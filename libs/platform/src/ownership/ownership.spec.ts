import { MemoryMembers } from '@aos/adapters/memory';
import { StoreUnavailable, type Member } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import { Membership, risenWeight, sessionOwners } from './membership.js';
import { Owners } from './owners.js';
import { Ownership } from './ownership.js';

const secondMs = 1_000;
const settled = () => new Promise((resolve) => setImmediate(resolve));

class Interrupted extends MemoryMembers {
  isAway = false;
  reads = 0;
  renewals = 0;

  override async renew(...said: Parameters<MemoryMembers['renew']>): Promise<void> {
    if (this.isAway) throw new StoreUnavailable('away');
    this.renewals += 1;
    await super.renew(...said);
  }

  override async all(group: string): Promise<Member[]> {
    this.reads += 1;
    if (this.isAway) throw new StoreUnavailable('away');
    return super.all(group);
  }
}

let clock: ManualClock;
let members: Interrupted;
let warnings: string[];

beforeEach(() => {
  clock = new ManualClock();
  members = new Interrupted(clock);
  warnings = [];
});

async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 250) {
    clock.advance(250);
    for (let turn = 0; turn < 5; turn += 1) await settled();
  }
}

function replica(address: string) {
  const warn = (message: string) => warnings.push(message);
  const membership = new Membership(members, { address, build: '1' }, clock, warn);
  const owners = new Owners(members, clock, warn);
  const ownership = new Ownership({ membership, owners });
  ownership.onApplicationBootstrap();
  return { membership, owners, ownership };
}

const weights = async () => Object.fromEntries((await members.all(sessionOwners)).map((m) => [m.address, m.weight]));
/** A name in every partition. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const streams = [...alphabet].flatMap((last) =>
  ['0', '4', '8', 'c', 'g', 'm', 'r', 'w'].map((before) => `session-ses_${before}${last}`),
);

describe('a member', () => {
  it('rises to its whole weight in four steps over 16 s', async () => {
    const seen: number[] = [];
    const { ownership } = replica('a');
    for (let second = 0; second <= 17; second += 1) {
      await settled();
      const { a = 0 } = await weights();
      if (a !== seen.at(-1)) seen.push(a);
      if (a === 1) expect(second).toBeGreaterThanOrEqual(15);
      await pass(secondMs);
    }
    expect(seen).toEqual([0.25, 0.5, 0.75, 1]);
    expect([0, 5_333, 5_334, 15_999, 16_000].map(risenWeight)).toEqual([0.25, 0.25, 0.5, 0.75, 1]);
    await ownership.close();
  });

  it('is renewed every 5 s, and gone 15 s after it was last', async () => {
    const { ownership, membership } = replica('a');
    await pass(20 * secondMs);
    members.renewals = 0;
    await pass(60 * secondMs);
    expect(members.renewals).toBe(12);
    members.isAway = true;
    await pass(14 * secondMs);
    members.isAway = false;
    expect(membership.isDraining).toBe(false);
    await pass(5 * secondMs);
    expect(await weights()).toEqual({ a: 1 });
    await ownership.close();
    expect(await weights()).toEqual({});
    await members.renew(sessionOwners, { address: 'dead', weight: 1, startedAt: 0, build: '1' }, 15 * secondMs);
    await pass(15 * secondMs);
    expect(await weights()).toEqual({});
    expect(clock.pendingTimers).toBe(0);
  });

  it('that goes down gives everything up first, and serves on for two reads of all others', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await pass(17 * secondMs);
    expect(streams.some((stream) => a.ownership.owns(stream))).toBe(true);
    let isDown = false;
    const down = a.ownership.drain().then(() => {
      isDown = true;
    });
    await pass(1_750);
    expect([isDown, a.ownership.isDraining, await weights()]).toEqual([false, true, { a: 0, b: 1 }]);
    expect(streams.every((stream) => b.ownership.owns(stream) && !a.ownership.owns(stream))).toBe(true);
    await pass(500);
    await down;
    expect(isDown).toBe(true);
    await a.ownership.close();
    await b.ownership.close();
  });

  it('without another member does not wait', async () => {
    const { ownership } = replica('a');
    await pass(2 * secondMs);
    await ownership.drain();
    expect(await weights()).toEqual({ a: 0 });
    expect(ownership.owns('session-ses_00')).toBe(false);
    await ownership.close();
  });
});

describe('owners', () => {
  it('are read once a second, and kept while they cannot be read', async () => {
    const [a, b] = [replica('a'), replica('b')];
    await pass(17 * secondMs);
    members.reads = 0;
    await pass(10 * secondMs);
    expect(members.reads).toBe(20);
    const owned = streams.filter((stream) => a.ownership.owns(stream));
    members.isAway = true;
    await pass(30 * secondMs);
    expect(streams.filter((stream) => a.ownership.owns(stream))).toEqual(owned);
    expect(warnings.filter((warning) => warning.startsWith('owners'))).toHaveLength(2);
    members.isAway = false;
    await pass(6 * secondMs);
    expect(streams.filter((stream) => b.ownership.owns(stream)).length).toBe(streams.length - owned.length);
    await a.ownership.close();
    await b.ownership.close();
  });

  it('share all partitions, one for each; streams of other kinds have none', async () => {
    const replicas = ['a', 'b', 'c'].map(replica);
    await pass(17 * secondMs);
    for (const stream of streams) expect(replicas.filter(({ ownership }) => ownership.owns(stream))).toHaveLength(1);
    expect(replicas.every(({ ownership }) => ownership.owns('invocation-inv_00'))).toBe(true);
    for (const { ownership } of replicas) await ownership.close();
  });

  it('are all, where none is known or the process shares with no one', async () => {
    expect(new Ownership().owns('session-ses_00')).toBe(true);
    await new Ownership().drain();
    members.isAway = true;
    const { ownership } = replica('a');
    await pass(2 * secondMs);
    expect(ownership.owns('session-ses_00')).toBe(true);
    members.isAway = false;
    await eventually('it is known', async () => {
      await pass(secondMs);
      return (await weights()).a !== undefined;
    });
    await ownership.close();
  });
});
