import { OrganizationSlots } from './organization-slots.js';

describe('slots of organizations', () => {
  it('are bounded for one organization before they are for all', () => {
    const slots = new OrganizationSlots({ all: 3, perOrganization: 2 });
    slots.take('a');
    slots.take('a');
    expect([slots.hasRoom('a'), slots.hasRoom('b')]).toEqual([false, true]);
    slots.take('b');
    expect([slots.taken, slots.hasRoom('b'), slots.hasRoom('c')]).toEqual([3, false, false]);
    slots.free('a');
    expect([slots.taken, slots.hasRoom('a'), slots.hasRoom('c')]).toEqual([2, true, true]);
  });

  it('are counted past the bounds when the caller does not ask', () => {
    const slots = new OrganizationSlots({ all: 1, perOrganization: 1 });
    slots.take('a');
    slots.take('a');
    slots.free('a');
    expect(slots.hasRoom('a')).toBe(false);
    slots.free('a');
    expect([slots.taken, slots.hasRoom('a')]).toEqual([0, true]);
  });
});
