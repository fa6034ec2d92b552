import { WorkSlots, type WorkBounds } from './work-slots.js';

const bounds: WorkBounds = { running: { all: 3, perOrganization: 2 }, waiting: { all: 3, perOrganization: 2 } };

/** Slots whose work the test ends; `began` has its keys in the order in which it began. */
function start(given: WorkBounds = bounds) {
  const slots = new WorkSlots<string>(given);
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (key: string) => () => {
    began.push(key);
    return new Promise<void>((resolve) => {
      ends.set(key, resolve);
    });
  };
  const begin = (key: string) => slots.start(key.slice(0, 1), key, work(key));
  const end = async (key: string) => {
    ends.get(key)?.();
    await slots.ended(key);
  };
  return { slots, began, begin, end };
}

describe('work that can wait', () => {
  it('runs while its organization has a slot, then waits, and begins in turn as others end', async () => {
    const { slots, began, begin, end } = start();
    for (const key of ['a1', 'a2', 'a3', 'b1', 'b2']) expect(begin(key)).toBe(true);
    expect([began, slots.hasRoom('c')]).toEqual([['a1', 'a2', 'b1'], false]);
    await end('a1');
    expect(began.slice(3)).toEqual(['a3']);
    await end('a2');
    expect(began.slice(4)).toEqual(['b2']);
    expect([...slots.runningKeys]).toEqual(['b1', 'a3', 'b2']);
  });

  it('is not taken when there is no room to wait, and is not owned then', () => {
    const { slots, begin } = start();
    for (const key of ['a1', 'a2', 'a3', 'a4']) begin(key);
    expect([begin('a5'), slots.holds('a5'), slots.holds('a4')]).toEqual([false, false, true]);
  });

  it('is owned while its record is written, without a slot', async () => {
    const { slots, began, begin } = start();
    await slots.reserving('a', ['a1', 'a2'], async (reserved) => {
      expect([[...reserved], slots.holds('a1'), began]).toEqual([['a1', 'a2'], true, []]);
      begin('b1');
      begin('b2');
      await slots.reserving('c', ['c1'], async () => {
        expect(begin('c1')).toBe(true);
      });
      expect(began).toEqual(['b1', 'b2', 'c1']);
      begin('a2');
    });
    expect([slots.holds('a1'), slots.holds('a2'), [...slots.ownedKeys]]).toEqual([
      false,
      true,
      ['a2', 'b1', 'b2', 'c1'],
    ]);
  });

  it('is reserved once: who comes second is told', async () => {
    const { slots, begin } = start();
    begin('a1');
    await slots.reserving('a', ['a1', 'a2'], async (reserved) => {
      expect([...reserved]).toEqual(['a2']);
    });
    expect([slots.holds('a1'), slots.holds('a2')]).toEqual([true, false]);
  });

  it('is owned no longer when its record fails', async () => {
    const { slots } = start();
    await expect(slots.reserving('a', ['a1'], () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(slots.holds('a1')).toBe(false);
  });

  it('does not begin after the end, and what runs is waited for', async () => {
    const { slots, began, begin, end } = start();
    for (const key of ['a1', 'a2', 'a3']) begin(key);
    slots.close();
    let isIdle = false;
    const idle = slots.idle().then(() => {
      isIdle = true;
    });
    await end('a1');
    expect([isIdle, began, begin('b1')]).toEqual([false, ['a1', 'a2'], false]);
    await end('a2');
    await idle;
    expect([...slots.runningKeys]).toEqual([]);
  });
});

describe('work that cannot wait', () => {
  const unqueued: WorkBounds = { running: { all: 3, perOrganization: 2 }, waiting: null };

  it('takes its slot with the reservation, and begins once it is recorded', async () => {
    const { slots, began, begin, end } = start(unqueued);
    await slots.reserving('a', ['a1'], async () => {
      await slots.reserving('a', ['a2'], async () => {
        expect([slots.hasRoom('a'), slots.hasRoom('b')]).toEqual([false, true]);
      });
      expect(slots.hasRoom('a')).toBe(true);
      begin('a1');
    });
    expect([began, [...slots.runningKeys]]).toEqual([['a1'], ['a1']]);
    begin('a2');
    expect(slots.hasRoom('a')).toBe(false);
    await end('a1');
    expect([slots.hasRoom('a'), slots.holds('a1')]).toEqual([true, false]);
  });

  it('begins past the bounds when it was recorded without a reservation', () => {
    const { began, begin } = start(unqueued);
    for (const key of ['a1', 'a2', 'a3']) expect(begin(key)).toBe(true);
    expect(began).toEqual(['a1', 'a2', 'a3']);
  });
});
