import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredNames } from './declared-names.js';
import { namesOf, newNames, readPinned, withNewNames, writePinned, type PinnedNames } from './pinned-names.js';
import { productTexts, sourceNames, type SourceNames } from './source-names.js';

/**
 * Names that outlive a process: they are stored, sent to another process, or used by who operates it. Old and new
 * replicas run side by side, so a name may be added, and none may change or go, however much the code around it is
 * renamed. `GOLDEN_NAMES=write npm test -- tests/golden` pins what is new and takes nothing away. Paths and members of
 * the public wire are not here: `tools/check.mjs` holds the contract to what it gave before.
 */
const file = 'tests/golden/names.json';
const isWriting = process.env['GOLDEN_NAMES'] === 'write';
const texts = productTexts();
const sources = sourceNames(texts);
const declared = declaredNames(texts);

/** What each list must find at least; less means that the collection no longer sees where names stand. */
const lists: [list: string, found: ReadonlySet<string>, atLeast: number][] = [
  ['events', declared.events, 120],
  ['undeclaredEvents', new Set([...sources.capitalized].map((type) => `relay/${type}`)), 120],
  ['collections', new Set([...declared.collections, ...sources.versioned]), 30],
  ['metrics', sources.metrics, 25],
  ['cursorScopes', sources.cursorScopes, 20],
  ['keyPurposes', sources.keyPurposes, 4],
  ['idPrefixes', sources.idPrefixes, 25],
  ['timers', sources.timers, 6],
  ['reactors', sources.reactors, 5],
  ['failpoints', sources.failpoints, 15],
  ['headers', sources.headers, 45],
  ['settings', sources.settings, 55],
  ['dotted', sources.dotted, 150],
  ['hyphenated', sources.hyphenated, 35],
  ['patterns', sources.patterns, 120],
];
/** Of these only what is pinned is looked for: most texts of their form are no names. */
const open = ['undeclaredEvents'];
const closed = new Map(lists.filter(([list]) => !open.includes(list)).map(([list, found]) => [list, found]));
const pinned = isWriting ? withNewNames(readPinned(), closed) : readPinned();
if (isWriting) writePinned(pinned);

function sizes(list: string): string {
  const sections = Object.entries(pinned[list] ?? {}) as [string, string[]][];
  return sections.map(([section, names]) => `${names.length} ${section}`).join(', ');
}

/** What a change of the text `from` to `to` makes of the names in the files that hold it. */
function changed(
  from: string,
  to: string,
  list: keyof Omit<SourceNames, 'files'>,
): { gone: string[]; added: string[] } {
  const touched = [...texts].filter(([, text]) => text.includes(from));
  const before = sourceNames(new Map(touched))[list];
  const after = sourceNames(new Map(touched.map(([path, text]) => [path, text.replaceAll(from, to)])))[list];
  return {
    gone: [...before].filter((name) => !after.has(name)),
    added: [...after].filter((name) => !before.has(name)),
  };
}

describe(`names that outlive a process, in ${sources.files} files`, () => {
  it('sees the product', () => {
    expect(sources.files).toBeGreaterThan(600);
    expect(Object.keys(pinned).sort()).toEqual([...lists.map(([list]) => list), 'neitherStoredNorSent'].sort());
  });

  describe.each(lists)('%s', (list, found, atLeast) => {
    const names = namesOf(pinned, list);

    it(`finds ${found.size}, at least ${atLeast}`, () => {
      expect(found.size).toBeGreaterThanOrEqual(atLeast);
    });

    it(`has each of the ${names.length} that are pinned: ${sizes(list)}`, () => {
      const gone = names.filter((name) => !found.has(name));
      expect(
        gone.map((name) => `${name} is gone or changed: give it back, replicas of the version before still use it`),
      ).toEqual([]);
    });

    it('has none that is not pinned', () => {
      const added = newNames(pinned, list, closed.get(list) ?? []);
      expect(
        added.map(
          (name) =>
            `${name} is new: GOLDEN_NAMES=write npm test -- tests/golden adds it to ${list} in ${file}; ` +
            'move it to neitherStoredNorSent if it is that',
        ),
      ).toEqual([]);
    });
  });

  it('would find a renamed lease, command, header, cursor scope, metric and setting', () => {
    expect(changed('`worker:${', '`place:${', 'patterns')).toEqual({ gone: ['worker:{}'], added: ['place:{}'] });
    const command = changed("'tables.save_row'", "'tables.put_row'", 'dotted');
    expect(command).toEqual({ gone: ['tables.save_row'], added: ['tables.put_row'] });
    const header = changed("'x-svc-identity'", "'x-svc-caller'", 'headers');
    expect(header).toEqual({ gone: ['x-svc-identity'], added: ['x-svc-caller'] });
    const scope = changed("'routine_occurrences'", "'runs'", 'cursorScopes');
    expect(scope).toEqual({ gone: ['routine_occurrences'], added: ['runs'] });
    const metric = changed("'turns_running'", "'runs'", 'metrics');
    expect(metric).toEqual({ gone: ['turns_running{}'], added: ['runs{}'] });
    const setting = changed('SVC_LEASE_SECONDS', 'SVC_LEASE_TIME', 'settings');
    expect(setting).toEqual({ gone: ['SVC_LEASE_SECONDS'], added: ['SVC_LEASE_TIME'] });
  });

  it('pins what is new in its section, and keeps what is gone', () => {
    const before: PinnedNames = {
      events: { session: ['TurnQueued@1'] },
      settings: { all: ['SVC_DATA_DIR', 'SVC_PORT'] },
      dotted: { commands: ['tables.save_row'], files: ['a.json'] },
      neitherStoredNorSent: ['e.value'],
    };
    const found = new Map([
      ['events', ['session/TurnEnded@1', 'email/EmailSent@1']],
      ['settings', ['SVC_PORT', 'SVC_LEASE_TIME']],
      ['dotted', ['e.value', 'tables.save_row', 'tables.put_row']],
    ]);
    const after = withNewNames(before, found);
    expect(after).toEqual({
      events: { email: ['EmailSent@1'], session: ['TurnEnded@1', 'TurnQueued@1'] },
      settings: { all: ['SVC_DATA_DIR', 'SVC_LEASE_TIME', 'SVC_PORT'] },
      dotted: { commands: ['tables.save_row'], files: ['a.json'], other: ['tables.put_row'] },
      neitherStoredNorSent: ['e.value'],
    });
    expect(withNewNames(after, found)).toEqual(after);
  });

  it('excuses only what is there, once, and names nothing twice in a list', () => {
    const found = new Set(lists.flatMap(([, names]) => [...names]));
    const excused = pinned.neitherStoredNorSent;
    expect(excused.filter((name) => !found.has(name))).toEqual([]);
    const names = lists.map(([list]) => namesOf(pinned, list));
    expect(excused.filter((name) => names.some((list) => list.includes(name)))).toEqual([]);
    for (const list of [...names, excused]) expect(list).toEqual([...new Set(list)]);
  });
});

it('every kind of stream with snapshots has its golden states', () => {
  const recorded = globSync('libs/**/golden/state.*.json', { cwd: join(__dirname, '..', '..') }).map((path) => {
    const golden = JSON.parse(readFileSync(join(__dirname, '..', '..', path), 'utf8')) as Record<string, unknown>;
    return `${String(golden['category'])}@${String(golden['stateVersion'])}`;
  });
  expect(declared.snapshots.size).toBeGreaterThanOrEqual(9);
  expect(recorded.sort()).toEqual([...declared.snapshots].sort());
});
