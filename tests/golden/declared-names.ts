import { join } from 'node:path';
import { productFiles } from './source-names.js';

const root = join(__dirname, '..', '..');
/** Files that start something when they are loaded, and adapters and compositions, which declare neither streams nor projections. */
const unloaded = /^apps\/|\.worker\.ts$|^libs\/(adapters|composition|gateway)\/|\/observability\/|\.module\.ts$/;

/** What the modules of the product export, told by its shape: kinds of streams and projections. */
export interface DeclaredNames {
  /** `session/TurnQueued@1`: category, type, and each version that was ever written. */
  events: Set<string>;
  /** `agents@1`: name and version of a projection, which is its collection too. */
  collections: Set<string>;
}

interface Shape {
  category?: unknown;
  events?: unknown;
  evolve?: unknown;
  name?: unknown;
  version?: unknown;
  rows?: unknown;
}

export function declaredNames(): DeclaredNames {
  const names: DeclaredNames = { events: new Set(), collections: new Set() };
  for (const file of productFiles()) {
    if (unloaded.test(file)) continue;
    const exported = jest.requireActual<Record<string, unknown>>(join(root, file));
    for (const value of Object.values(exported)) {
      if (typeof value === 'object' && value !== null) collect(value, names);
    }
  }
  return names;
}

function collect({ category, events, evolve, name, version, rows }: Shape, names: DeclaredNames): void {
  if (typeof category === 'string' && typeof evolve === 'function') {
    for (const [type, declaration] of Object.entries(events as Record<string, { version: number }>)) {
      for (let older = 1; older <= declaration.version; older += 1) names.events.add(`${category}/${type}@${older}`);
    }
  }
  if (typeof name === 'string' && typeof version === 'number' && typeof rows === 'function')
    names.collections.add(`${name}@${version}`);
}
