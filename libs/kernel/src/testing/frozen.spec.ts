import type { StreamKind } from '../decider.js';
import { defineEvents, event, type EventOf } from '../events.js';
import { foldFrozen, frozen } from './frozen.js';
import { given } from './given.js';

const events = defineEvents({ Added: event<{ names: string[] }>(1) });
type Added = EventOf<typeof events>;
interface Names {
  readonly all: string[];
  readonly byName: Map<string, { readonly at: number[] }>;
}

function namesKind(evolve: StreamKind<Names, Added>['evolve']): StreamKind<Names, Added> {
  return { category: 'names', events, stateVersion: 1, initial: () => ({ all: [], byName: new Map() }), evolve };
}

/** What a frozen list, object, map or set says to a write. */
const refusal = /not extensible|read only|Cannot delete|frozen collection/;

const added = (...names: string[]): Added => ({ type: 'Added', data: { names } });

describe('a frozen value', () => {
  const value = frozen({ list: [{ a: 1 }], map: new Map([[{ k: 1 }, { v: [1] }]]), set: new Set([{ s: 1 }]) });

  it('refuses writes at any depth', () => {
    const [[key, entry] = []] = [...value.map];
    const [member] = [...value.set];
    const writes = [
      () => value.list.push({ a: 2 }),
      () => Object.assign(value.list[0] ?? {}, { a: 2 }),
      () => value.map.set({ k: 2 }, { v: [] }),
      () => value.map.delete({ k: 1 }),
      () => value.map.clear(),
      () => entry?.v.push(2),
      () => Object.assign(key ?? {}, { k: 2 }),
      () => value.set.add({ s: 2 }),
      () => value.set.delete(member ?? { s: 1 }),
      () => value.set.clear(),
      () => Object.assign(member ?? {}, { s: 2 }),
    ];
    for (const write of writes) expect(write).toThrow(refusal);
    expect(value).toEqual({ list: [{ a: 1 }], map: new Map([[{ k: 1 }, { v: [1] }]]), set: new Set([{ s: 1 }]) });
  });

  it('has copies that can be written', () => {
    expect(new Map(value.map).set({ k: 2 }, { v: [] }).size).toBe(2);
    const clone = structuredClone(value);
    clone.list.push({ a: 2 });
    expect([clone.set.add({ s: 2 }).size, clone.list.length]).toEqual([2, 2]);
  });
});

describe('a fold over frozen values', () => {
  const asValue = namesKind((state, { data }, revision) => ({
    all: [...state.all, ...data.names],
    byName: data.names.reduce((map, name) => map.set(name, { at: [revision] }), new Map(state.byName)),
  }));

  it('gives what a plain fold gives', () => {
    expect(foldFrozen(asValue, [added('a'), added('b', 'c')])).toEqual({
      all: ['a', 'b', 'c'],
      byName: new Map([
        ['a', { at: [0] }],
        ['b', { at: [1] }],
        ['c', { at: [1] }],
      ]),
    });
  });

  it('leaves the given events as they were', () => {
    const past = [added('a')];
    foldFrozen(asValue, past);
    past[0]?.data.names.push('b');
    expect(past).toEqual([added('a', 'b')]);
  });

  it.each<[string, StreamKind<Names, Added>['evolve']]>([
    ['the state', (state, { data }) => (state.all.push(...data.names), state)],
    ['a map of the state', (state, { data }) => (state.byName.set(data.names[0] ?? '', { at: [] }), state)],
    ['the event', (state, { data }) => (data.names.push('x'), state)],
  ])('stops a fold that changes %s', (_what, evolve) => {
    expect(() => given(namesKind(evolve), added('a')).state()).toThrow(refusal);
  });

  it('freezes maps that were cloned', () => {
    expect(() => frozen(structuredClone(new Map([['a', 1]]))).set('b', 2)).toThrow(refusal);
  });

  it('stops a rule that changes the state', () => {
    const rule = (state: Names): Added[] => (state.all.push('x'), []);
    expect(() => given(asValue, added('a')).when(rule).thenNothing()).toThrow(refusal);
  });
});
