import { join } from 'node:path';
import type { EventDeclarations } from '@aos/kernel';

const root = join(__dirname, '..', '..');
/** Programs, what stands around the contexts, and what only hands on what other files export. */
const unloaded = /^apps\/|^libs\/(adapters|composition|gateway)\/|\.worker\.ts$|\/(index|published)\.ts$/;
/** Kinds of streams and projections are pure: a file that knows the framework declares none. */
const impure = "from '@nestjs/";

/** What the modules of the product export, told by its shape: kinds of streams and projections. */
export interface DeclaredNames {
  /** `session/TurnQueued@1`: category, type, and each version that was ever written. */
  events: Set<string>;
  /** `agents@1`: name and version of a projection, which is its collection too. */
  collections: Set<string>;
  /** `session@2`: category and state version of each kind of stream that has snapshots. */
  snapshots: Set<string>;
  /** `session/TurnPinned`: events that the release before does not read, with the feature of each. */
  since: Map<string, string>;
}

interface Shape {
  category?: unknown;
  events?: unknown;
  evolve?: unknown;
  stateVersion?: unknown;
  snapshotEvery?: unknown;
  name?: unknown;
  version?: unknown;
  rows?: unknown;
}

export function declaredNames(texts: ReadonlyMap<string, string>): DeclaredNames {
  const names: DeclaredNames = { events: new Set(), collections: new Set(), snapshots: new Set(), since: new Map() };
  for (const [file, text] of texts) {
    if (unloaded.test(file) || text.includes(impure)) continue;
    const exported = jest.requireActual<Record<string, unknown>>(join(root, file));
    for (const value of Object.values(exported)) {
      if (typeof value === 'object' && value !== null) collect(value, names);
    }
  }
  return names;
}

function collect(exported: Shape, names: DeclaredNames): void {
  const { category, events, evolve, name, version, rows } = exported;
  if (typeof category === 'string' && typeof evolve === 'function') {
    if (exported.snapshotEvery) names.snapshots.add(`${category}@${String(exported.stateVersion)}`);
    for (const [type, { version, since }] of Object.entries(events as EventDeclarations)) {
      for (let older = 1; older <= version; older += 1) names.events.add(`${category}/${type}@${older}`);
      if (since !== undefined) names.since.set(`${category}/${type}`, since);
    }
  }
  if (typeof name === 'string' && typeof version === 'number' && typeof rows === 'function')
    names.collections.add(`${name}@${version}`);
}
