// What a library may import of the others: kernel <- contract <- platform <- contexts; adapters see the kernel; contexts see what
// others publish. The event store's twin is for its own program and for tests. The client sees nothing of the
// workspace.
import { normalize, join, dirname } from 'node:path';

export const contexts = [
  'sessions',
  'billing',
  'definitions',
  'blueprints',
  'interactions',
  'access',
  'events',
  'streams',
  'tools',
  'routines',
  'connections',
  'channels',
  'ownership',
  'artifacts',
  'gateway',
];

export const name = 'imports';

export function check({ files }) {
  return files
    .filter(({ isTest }) => !isTest)
    .flatMap((file) =>
      file.imports.flatMap((module) => faultsOf(file, module)).map((what) => ({ where: file.path, what })),
    );
}

function faultsOf(file, module) {
  const [layer, home] = file.path.split('/');
  const [, library, rest] = module.match(/^@aos\/([^/]+)(?:\/(.*))?$/) ?? [];
  if (!library) return leavesItsLibrary(file, module) ? [`leaves its library by ${module}`] : [];
  const faults = [];
  if (module.endsWith('/testing') || module.endsWith('/contracts')) faults.push(`only tests import ${module}`);
  if (library === 'eventstore-twin' && home !== 'eventstore-twin') faults.push(`only its program imports ${module}`);
  if (layer === 'apps') return faults;
  const isContext = contexts.includes(home);
  if (home === 'kernel') faults.push(`the kernel imports ${module}`);
  if (['adapters', 'eventstore-twin'].includes(home) && library !== 'kernel')
    faults.push(`an adapter imports ${module}`);
  if (home === 'client') faults.push(`the client is packed without ${module}`);
  if (home === 'contract' && library !== 'kernel') faults.push(`the contract imports ${module}`);
  if (home === 'platform' && contexts.includes(library)) faults.push(`the platform imports ${module}`);
  if (home === 'platform' && library === 'adapters') faults.push(`the platform imports ${module}`);
  if (isContext && library === 'adapters') faults.push(`a context imports ${module}`);
  if (isContext && contexts.includes(library) && library !== home && rest !== 'published')
    faults.push(`imports ${module} past its published.ts`);
  return faults;
}

function leavesItsLibrary({ path }, module) {
  if (!/^\.\.?\//.test(module)) return false;
  return !normalize(join(dirname(path), module)).startsWith(path.split('/').slice(0, 2).join('/'));
}
