// A suffix says what a file is; a file without one is named after what it exports. Which suffix may lie where:
// what a stream is lies in its folder; what callers reach lies in a feature; a context's root holds its modules and what it publishes.
import { basename, dirname } from 'node:path';
import { CONTEXTS } from './imports.mjs';
import { streamFolders } from './streams.mjs';

const OF_STREAMS = ['events', 'state', 'ids', 'projection', 'publisher', 'audit'];
const OF_FEATURES = ['controller', 'commands', 'handlers', 'queries', 'dto', 'reactor'];
const ANYWHERE = ['limits', 'wire', 'decide', 'decider', 'frames', 'signals', 'module', 'worker', 'd'];
const KNOWN = new Set([...OF_STREAMS, ...OF_FEATURES, ...ANYWHERE]);
const IN_ROOT = /^(index|published|[\w-]+\.(module|decider))\.ts$/;

export const name = 'suffixes';

export function check({ files }) {
  const streams = streamFolders(files);
  return files
    .filter(({ path, isTest }) => !isTest && /^(apps|libs)\//.test(path))
    .flatMap(({ path }) => faultsOf(path, streams.has(dirname(path))).map((what) => ({ where: path, what })));
}

function faultsOf(path, isStream) {
  const file = basename(path);
  const [, ...suffixes] = file.replace(/\.ts$/, '').split('.');
  const [suffix] = suffixes;
  const faults = [];
  if (suffixes.length > 1 || (suffix !== undefined && !KNOWN.has(suffix)))
    faults.push(`.${suffixes.join('.')} is no suffix`);
  if (OF_STREAMS.includes(suffix) && !isStream) faults.push(`.${suffix} lies in a stream's folder`);
  if (OF_FEATURES.includes(suffix) && isStream) faults.push(`.${suffix} lies in a feature, not with a stream`);
  const [layer, library, source, ...rest] = path.split('/');
  if (layer === 'libs' && CONTEXTS.includes(library) && source === 'src' && rest.length === 1 && !IN_ROOT.test(file))
    faults.push('lies in a folder: the root of a context holds modules, deciders, index and published');
  return faults;
}
