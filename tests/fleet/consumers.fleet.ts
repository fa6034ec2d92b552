import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Expected, Client, eventually, feedEnd, feedTells, scenario, unique } from '../harness/index.js';
import { engine } from './fleet.js';
import { kafkaClassPath, publicTopic } from './topic.js';

const root = join(__dirname, '..', '..');
/** Inside the project, so that the JavaScript example finds its client. */
const folder = join(root, 'dist', `examples-${process.pid}`);
const readMs = 150_000;

jest.setTimeout(360_000);

const api = Client.owner();
const running: ChildProcess[] = [];
let expected: Expected;
let begin: string;

beforeAll(async () => {
  mkdirSync(folder, { recursive: true });
  begin = await feedEnd(api);
  expected = await scenario(api);
  await feedTells(api, begin, expected);
});

afterAll(async () => {
  for (const child of running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a page's one example in a language to a file; gives its path. */
function example(language: string, name: string, page = 'docs/events.md'): string {
  const text = readFileSync(join(root, page), 'utf8');
  const found = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code ?? '',
  );
  if (found.length !== 1) throw new Error(`${page} has ${found.length} examples in ${language}`);
  const path = join(folder, name);
  writeFileSync(path, found[0] ?? '');
  return path;
}

/**
 * Runs an example until it has printed every expected event: each source's types in their order, each once. `placed`:
 * where source and type stand in a line.
 */
async function printsAll(
  command: string,
  args: string[],
  placed: (line: string) => { source: string; type: string },
): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.push(child);
  let printed = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-5_000);
  });
  const wanted = JSON.stringify([...expected]);
  await eventually(
    `everything from ${command}`,
    () => {
      const seen: Expected = new Map([...expected.keys()].map((source) => [source, []]));
      for (const { source, type } of printed.split('\n').slice(0, -1).map(placed)) seen.get(source)?.push(type);
      if (JSON.stringify([...seen]) !== wanted) throw new Error(`${JSON.stringify([...seen])}\n${errors}`);
      return Promise.resolve(true);
    },
    readMs,
  );
}

/** `<org>:<kind>:<source> <position> <type>` */
const ofRecord = (line: string) => {
  const [key = '', , type = ''] = line.split(' ');
  return { source: key.split(':').slice(2).join(':'), type };
};

describe('the examples of docs/events.md', () => {
  it('JavaScript, from the topic', () =>
    printsAll(
      process.execPath,
      [example('js', 'consumer.mjs'), engine('kafka').url, unique('js'), publicTopic],
      ofRecord,
    ));

  it('Java, from the topic', () =>
    printsAll(
      'java',
      ['-cp', kafkaClassPath(), example('java', 'Consumer.java'), engine('kafka').url, unique('java'), publicTopic],
      ofRecord,
    ));

  it('Python, from the feed', () =>
    printsAll(
      'python3',
      [example('python', 'follow.py'), api.baseUrl, api.key ?? '', join(folder, 'cursor')],
      (line) => {
        const [, type = '', source = ''] = line.split(' ');
        return { source, type };
      },
    ));
});

it('the consumer of docs/guide/kafka.md prints each event once, in the order of its source', () =>
  printsAll(
    process.execPath,
    [example('js', 'guide.mjs', 'docs/guide/kafka.md'), engine('kafka').url, unique('guide'), publicTopic],
    (line) => {
      const [key = '', type = ''] = line.split(' ');
      return { source: key.split(':').slice(2).join(':'), type };
    },
  ));
