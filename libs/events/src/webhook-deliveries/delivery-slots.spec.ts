import { ManualClock } from '@aos/kernel/testing';
import { DeliverySlots, type Sending } from './delivery-slots.js';

interface Busy extends Sending {
  /** Ends of what is under way. */
  underWay: (() => void)[];
}

/** A hook that always has something to send, eight at once; what it sends is under way until it is ended. */
function busy(orgId: string): Busy {
  const underWay: (() => void)[] = [];
  const sendOne = (ended: () => void) => underWay.length < 8 && underWay.push(ended) > 0;
  return { orgId, underWay, sendOne };
}

const hooksOf = (orgId: string, count: number) => Array.from({ length: count }, () => busy(orgId));
const underWayOf = (hooks: readonly Busy[]) => hooks.reduce((sum, { underWay }) => sum + underWay.length, 0);

describe('rule TE124: who may deliver next', () => {
  it('64 of an organization and 256 of a process are under way at once, and an organization that comes late has its turn', () => {
    const slots = new DeliverySlots(new ManualClock());
    const organizations = Array.from({ length: 5 }, (_, n) => hooksOf(`org_${n}`, 9));
    for (const hook of organizations.flat()) slots.want(hook);
    expect(organizations.map(underWayOf)).toEqual([64, 64, 64, 64, 0]);
    expect(slots.taken).toBe(256);
    const [first = [], , , , late = []] = organizations;
    for (const { underWay } of first.slice(0, 4)) underWay.shift()?.();
    expect(slots.taken).toBe(256);
    expect(underWayOf(late)).toBeGreaterThan(0);
    slots.close();
  });

  it('an organization has 100 in a second, and others are not held up by it', () => {
    const clock = new ManualClock();
    const slots = new DeliverySlots(clock);
    let sent = 0;
    const quick: Sending = {
      orgId: 'org_1',
      sendOne: (ended) => {
        sent += 1;
        ended();
        return true;
      },
    };
    slots.want(quick);
    expect(sent).toBe(100);
    clock.advance(900);
    expect(sent).toBe(100);
    const other = busy('org_2');
    slots.want(other);
    expect(other.underWay).toHaveLength(8);
    clock.advance(100);
    expect(sent).toBe(200);
    slots.close();
  });
});
