// A suffix says what a file is; a file without one is named after what it exports. Which suffix may lie where: what a
// stream is lies in its folder; what callers reach lies in a feature; a context's root holds its modules and what it
// publishes.
import { basename, dirname } from 'node:path';
import { contexts } from './imports.mjs';
import { streamFolders } from './streams.mjs';

const ofStreams = ['events', 'state', 'ids', 'projection', 'publisher', 'audit'];
const ofFeatures = ['controller', 'commands', 'handlers', 'queries', 'dto', 'reactor'];
const anywhere = ['limits', 'wire', 'decide', 'decider', 'frames', 'signals', 'module', 'worker', 'd'];
const known = new Set([...ofStreams, ...ofFeatures, ...anywhere]);
const inRoot = /^(index|published|[\w-]+\.(module|decider))\.ts$/;

export const name = 'suffixes';

export function check({ files }) {
  const streams = streamFolders(files);
  return files
    .filter(({ path, isTest }) => !isTest && /^(apps|libs)\//.test(path))
    .flatMap(({ path }) => faultsOf(path, streams.has(dirname(path))).map((what) => ({ where: path, what })));
}

function faultsOf(path, isStream) {
  const file = basename(path);
  const [, ...suffixes] = file.replace(/\.tsx?$/, '').split('.');
  const [suffix] = suffixes;
  const faults = [];
  if (suffixes.length > 1 || (suffix !== undefined && !known.has(suffix)))
    faults.push(`.${suffixes.join('.')} is no suffix`);
  if (ofStreams.includes(suffix) && !isStream) faults.push(`.${suffix} lies in a stream's folder`);
  if (ofFeatures.includes(suffix) && isStream) faults.push(`.${suffix} lies in a feature, not with a stream`);
  const [layer, library, source, ...rest] = path.split('/');
  if (layer === 'libs' && contexts.includes(library) && source === 'src' && rest.length === 1 && !inRoot.test(file))
    faults.push('lies in a folder: the root of a context holds modules, deciders, index and published');
  return faults;
}
