// Where the processor time of profiles went, by groups of files, in percent of the time that was not idle:
// node tools/run.mjs tools/bench/profile.mjs <folder or file of BENCH_PROFILE> [other ...]
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const shown = 30;
const leastPercent = 0.5;

const maps = new Map();

/** Where the build keeps the map of a file of ours; none of a package's, or of what is gone. */
function mapOf(url) {
  const isOurs = url.startsWith('file:') && !url.includes('/node_modules/');
  const path = isOurs ? `${fileURLToPath(url)}.map` : '';
  return isOurs && existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

/** The source of a frame: what services run is one file of many (ADR 76). */
function sourceOf({ url, lineNumber, columnNumber }) {
  if (!maps.has(url)) maps.set(url, mapOf(url));
  return maps.get(url)?.findEntry(lineNumber, columnNumber).originalSource ?? url;
}

/** The group of a frame: a library of ours, a package, a part of Node, or what is built into the engine. */
function groupOf(frame) {
  const { functionName } = frame;
  const url = sourceOf(frame);
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native code and system calls';
  const ours = /\/(?:libs\/(?:adapters\/)?|apps\/)([\w-]+)\/src\/(?:([\w-]+)\/)?/.exec(url);
  if (ours && !url.includes('/node_modules/')) return `${ours[1]}${ours[2] ? `/${ours[2]}` : ''}`;
  const packaged = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/g;
  const name = [...url.matchAll(packaged)].at(-1)?.[1];
  if (name) return `package ${name}`;
  if (url.startsWith('node:')) return url.replace(/^(node:(?:internal\/)?[\w-]+).*$/, '$1');
  return 'built-in functions';
}

function add(sums, file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const byId = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id);
    if (frame.functionName === '(idle)') continue;
    const group = groupOf(frame);
    sums.set(group, (sums.get(group) ?? 0) + timeDeltas[index]);
  }
}

const files = process.argv
  .slice(2)
  .flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path).flatMap((name) => (name.endsWith('.cpuprofile') ? [join(path, name)] : []))
      : [path],
  );
if (files.length === 0) {
  console.error('no profile: BENCH_PROFILE=<folder> npm run bench -- turns leaves some');
  process.exit(1);
}
const sums = new Map();
for (const file of files) add(sums, file);
const total = [...sums.values()].reduce((sum, us) => sum + us, 0);
const groups = [...sums].sort(([, a], [, b]) => b - a).filter(([, us]) => (us / total) * 100 >= leastPercent);
for (const [group, us] of groups.slice(0, shown))
  console.log(`${((us / total) * 100).toFixed(1).padStart(5)} %  ${group}`);
