import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names by list and section. A section is the category of an event's stream, else a subject. */
export interface PinnedNames {
  [list: string]: Record<string, string[]> | string[];
  neitherStoredNorSent: string[];
}

/** Section of a new name in a list that has more than one. */
const otherSection = 'other';
/** Lists whose names begin with their section: `session/TurnQueued@1`. */
const prefixedLists = ['events', 'undeclaredEvents'];
const file = join(__dirname, 'names.json');
const prettier = join(__dirname, '..', '..', 'node_modules', 'prettier', 'bin', 'prettier.cjs');

export function readPinned(): PinnedNames {
  return JSON.parse(readFileSync(file, 'utf8')) as PinnedNames;
}

export function writePinned(pinned: PinnedNames): void {
  writeFileSync(file, JSON.stringify(pinned));
  const { status, stderr } = spawnSync(process.execPath, [prettier, '--write', file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`prettier did not format ${file}:\n${stderr}`);
}

/** The names of a list, each with its section where names begin with it. */
export function namesOf(pinned: PinnedNames, list: string): string[] {
  const sections = Object.entries(pinned[list] ?? {}) as [string, string[]][];
  const isPrefixed = prefixedLists.includes(list);
  return sections.flatMap(([section, names]) => (isPrefixed ? names.map((name) => `${section}/${name}`) : names));
}

/** Names that are found and not pinned. */
export function newNames(pinned: PinnedNames, list: string, found: Iterable<string>): string[] {
  const known = new Set([...namesOf(pinned, list), ...pinned.neitherStoredNorSent]);
  return [...found].filter((name) => !known.has(name));
}

/** Takes what was found, by list. Gives the pinned names with what is new; what is pinned stays, found or not. */
export function withNewNames(pinned: PinnedNames, found: ReadonlyMap<string, Iterable<string>>): PinnedNames {
  const next = structuredClone(pinned);
  for (const [list, names] of found) {
    const sections = next[list] as Record<string, string[]>;
    for (const name of newNames(pinned, list, names)) {
      const [section, own] = placeOf(list, sections, name);
      sections[section] = [...(sections[section] ?? []), own].sort();
    }
    if (prefixedLists.includes(list)) next[list] = Object.fromEntries(Object.entries(sections).sort());
  }
  return next;
}

function placeOf(list: string, sections: Record<string, string[]>, name: string): [section: string, own: string] {
  if (prefixedLists.includes(list)) {
    const [section = '', own = ''] = name.split('/');
    return [section, own];
  }
  const [only = otherSection, second] = Object.keys(sections);
  return [second === undefined ? only : otherSection, name];
}
