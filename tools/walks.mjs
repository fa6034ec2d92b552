// Which production files run when one thing is asked of the embedded service, by V8's precise coverage.
// node tools/run.mjs tools/walks.mjs [folder of a checkout] [--json]
// A file runs when one of its functions does. Functions of loops, which also run while nothing is asked, are left out.
// Each walk goes twice to warm up and five times to count; what ran each time counts. A walk ends when nothing more
// runs for it: the turn of an invoke belongs to it, and so does the work of the consumers of its events. Files that ran
// before the answer are told apart; their number changes by a few, because consumers run at the same time.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesOf, ranFunctions } from './house/coverage.mjs';
import { awaited, startInspected } from './house/inspected.mjs';

const idleWindows = 12;
const idleMs = 1_200;
const quietMs = 1_000;
const warmUps = 2;
const counted = 5;

const text = (words) => [{ type: 'text', text: words }];
const pause = (ms) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
const unique = (prefix) => `${prefix}-${randomUUID().slice(0, 8)}`;

/** Takes the service. Gives each walk by name: a function that prepares one and gives the request itself. */
async function walksOf({ call, as }) {
  const agent = await call('POST', '/v1/agents', {
    name: unique('walks'),
    model: 'svc-scripted-1',
    visibility: 'organization',
  });
  const invoke = (session, words) =>
    call('POST', '/v1/agents/invoke', { agent_ref: { id: agent.id }, session, input: { content: text(words) } });
  const endless = JSON.stringify({ script: [{ wait_ms: 600_000 }] });
  const running = await invoke({ mode: 'new' }, endless);
  const { items: roles } = await call('GET', '/v1/roles?limit=100');
  const { id: role } = roles.find(({ name }) => name === 'User');
  const person = await call('POST', '/v1/principals', { name: unique('person'), kind: 'human', role_ids: [role] });
  const { key } = await call('POST', '/v1/api-keys', { name: unique('key'), principal_id: person.id });
  const isFinal = async ({ session_id, turn_id }) =>
    (await call('GET', `/v1/sessions/${session_id}/turns/${turn_id}`)).status === 'completed';
  let last = null;
  return {
    invoke: async () => {
      if (last) await awaited('the end of the turn', () => isFinal(last));
      return async () => (last = await invoke({ session_key: 'walks' }, 'tokens=5'));
    },
    nudge: () => () => call('POST', `/v1/sessions/${running.session_id}/nudges`, { content: 'Go on.' }),
    answer: async () => {
      const question = { kind: 'request_information', title: 'Which?', target_user_ids: [person.id] };
      const { id } = await call('POST', '/v1/interactions', question);
      return () =>
        as(key).call('POST', `/v1/interactions/${id}/respond`, {
          answers: [{ question_id: 'response', text: 'This.' }],
        });
    },
    apply: () => {
      const skill = { key: 'skill', name: unique('skill'), instructions: 'Say it.' };
      const desired = { key: 'agent', name: unique('agent'), model: 'svc-scripted-1' };
      const resources = { skills: [skill], agents: [desired] };
      const body = { namespace: unique('ns'), blueprint_key: unique('bp'), resources };
      return () => call('POST', '/v1/blueprints/apply', body);
    },
  };
}

/** Notes each load of a state and each append, in order, in the service's own process. */
const noting = (built) => `(() => {
  const { Decisions } = process.mainModule.require(${JSON.stringify(join(built, 'libs/platform/src/decisions/decisions.js'))});
  globalThis.notedDecisions = [];
  for (const method of ['load', 'append']) {
    const own = Decisions.prototype[method];
    if (!own) throw new Error('Decisions has no ' + method);
    Decisions.prototype[method] = function (kind, stream, ...rest) {
      const name = method === 'load' ? kind.category + '-' + stream : stream.name;
      globalThis.notedDecisions.push({ method, stream: name });
      return own.call(this, kind, stream, ...rest);
    };
  }
})()`;

/** Takes what was noted and a stream. Gives the loads of its state before its first append; the append's own is one. */
export function loadsBefore(noted, stream) {
  const appended = noted.findIndex((one) => one.method === 'append' && one.stream === stream);
  if (appended < 0) throw new Error(`nothing was appended to ${stream}`);
  return noted.slice(0, appended).filter((one) => one.method === 'load' && one.stream === stream).length + 1;
}

class Walker {
  idle = new Set();
  texts = new Map();

  constructor(service, built) {
    this.service = service;
    this.built = built;
  }

  async evaluated(expression) {
    const { result, exceptionDetails } = await this.service.command('Runtime.evaluate', {
      expression,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async begin() {
    await this.evaluated(noting(this.built));
    await this.service.command('Profiler.enable');
    await this.service.command('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  /** The functions that ran since the last look. */
  async look() {
    const { result } = await this.service.command('Profiler.takePreciseCoverage');
    return [...ranFunctions(result, this.built, (path) => this.textOf(path)).keys()];
  }

  textOf(path) {
    const known = this.texts.get(path) ?? readFileSync(join(this.built, path), 'utf8');
    this.texts.set(path, known);
    return known;
  }

  /** Learns what runs while nothing is asked: in at least two windows, each a little longer than a walk's quiet end. */
  async rest() {
    const times = new Map();
    for (let window = -1; window < idleWindows; window += 1) {
      await pause(idleMs);
      const ran = await this.look();
      if (window < 0) continue; // what the warm-up left to do
      for (const name of ran) times.set(name, (times.get(name) ?? 0) + 1);
    }
    this.idle = new Set([...times].filter(([, seen]) => seen > 1).map(([name]) => name));
  }

  /** The functions that run until nothing more does. */
  async untilQuiet() {
    const ran = new Set();
    let last = performance.now();
    await awaited('quiet', async () => {
      const more = (await this.look()).filter((name) => !this.idle.has(name));
      for (const name of more) ran.add(name);
      if (more.length > 0) last = performance.now();
      return performance.now() - last > quietMs;
    });
    return ran;
  }

  /** One walk: the functions that ran until the answer and until the end, the answer, all loads and appends. */
  async walk(prepare) {
    const request = await prepare();
    await this.untilQuiet();
    await this.evaluated('globalThis.notedDecisions.length = 0');
    const answer = await request();
    const answered = new Set(await this.look());
    const ran = answered.union(await this.untilQuiet());
    return { answered, ran, answer, noted: await this.evaluated('globalThis.notedDecisions') };
  }
}

/** Takes the folder of a checkout with its packages. Gives the files of each walk, and an invoke's loads. */
export async function measureWalks(root) {
  const built = join(root, 'dist', 'walks');
  const building = [join(root, 'tools/build.mjs'), built, '--unbundled']; // a walk is told by files
  const { status, stderr } = spawnSync(process.execPath, building, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the service does not build:\n${stderr}`);
  const service = await startInspected(built);
  try {
    const walks = Object.entries(await walksOf(service));
    const walker = new Walker(service, built);
    await walker.begin();
    for (const [, prepare] of walks) for (let time = 0; time < warmUps; time += 1) await (await prepare())();
    await walker.rest();
    const files = {};
    const untilAnswer = {};
    let loads = 0;
    for (const [name, prepare] of walks) {
      const times = [];
      for (let time = 0; time < counted; time += 1) times.push(await walker.walk(prepare));
      const eachTime = (part) => times.map((time) => time[part]).reduce((some, more) => some.intersection(more));
      files[name] = filesOf(eachTime('ran'), walker.idle);
      untilAnswer[name] = filesOf(eachTime('answered'), walker.idle);
      if (name === 'invoke')
        loads = Math.max(...times.map(({ answer, noted }) => loadsBefore(noted, `session-${answer.session_id}`)));
    }
    return { files, untilAnswer, idle: filesOf(walker.idle, new Set()), loads };
  } finally {
    await service.stop();
  }
}

/** The lists of files, then how many each has. */
function print({ files, untilAnswer, idle, loads }) {
  const lists = Object.entries({ ...files, idle });
  for (const [name, list] of lists) {
    const isLater = (path) => untilAnswer[name] && !untilAnswer[name].includes(path);
    console.log(`${name}\n${list.map((path) => `  ${path}${isLater(path) ? ' (after the answer)' : ''}`).join('\n')}`);
  }
  for (const [name, list] of lists)
    console.log(
      `${name}: ${list.length} files${untilAnswer[name] ? `, ${untilAnswer[name].length} until the answer` : ''}`,
    );
  console.log(`loads of the session before an invoke's append: ${loads}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const args = process.argv.slice(2);
  const folder = args.find((word) => !word.startsWith('--')) ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const measured = await measureWalks(resolve(folder));
  if (args.includes('--json')) console.log(JSON.stringify(measured));
  else print(measured);
}
