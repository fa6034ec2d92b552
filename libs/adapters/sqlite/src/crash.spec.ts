import type { RecordedEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { transformFileSync } from '@swc/core';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { SqliteEventStore } from './sqlite-event-store.js';

const root = join(__dirname, '../../../..');
const rounds = 4;
const acksBeforeKill = 400;

/** Appends without end, 16 at a time, each of one to four events; prints each acknowledged one. */
const storm = `
const { randomUUID } = require('node:crypto');
const { SqliteEventStore } = require('./libs/adapters/sqlite/src/index.js');
const { SystemClock } = require('./libs/adapters/system/src/index.js');
const [directory, round] = process.argv.slice(2);
async function write(store, writer) {
  let head = 'none';
  for (let append = 0; ; append += 1) {
    const of = 1 + (append % 4);
    const events = Array.from({ length: of }, (_, part) => ({ id: randomUUID(), type: 'Stormed', data: { append, part, of, text: 'x'.repeat(append % 700) }, meta: { round } }));
    const stream = 'storm-' + round + 'x' + writer;
    const { revision } = await store.append(stream, head, events);
    head = revision;
    process.stdout.write([stream, revision, events[of - 1].id].join(' ') + '\\n');
  }
}
SqliteEventStore.open({ directory, clock: new SystemClock() }).then((store) => {
  for (let writer = 0; writer < 16; writer += 1) write(store, writer);
});
`;

function compile(target: string): void {
  for (const file of globSync('libs/{kernel,adapters/sqlite,adapters/system}/src/**/*.ts', {
    cwd: root,
    exclude: (path) => /\.spec\.ts$|contract/.test(path),
  })) {
    const { code } = transformFileSync(join(root, file), { cwd: root, root });
    const path = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  writeFileSync(join(target, 'storm.js'), storm);
}

/** Runs the storm and kills it in the middle. Gives what it acknowledged. */
async function stormAndKill(program: string, directory: string, round: number): Promise<string[]> {
  const child: ChildProcess = spawn(process.execPath, [join(program, 'storm.js'), directory, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const acks: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    if (acks.push(line) === acksBeforeKill + round * 37) child.kill('SIGKILL');
  }
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return acks;
}

test('a log killed in a storm of appends holds every acknowledged one, and none in part', async () => {
  const program = mkdtempSync(join(tmpdir(), 'aos-crash-program-'));
  const directory = mkdtempSync(join(tmpdir(), 'aos-crash-'));
  compile(program);
  const acks: string[] = [];
  for (let round = 0; round < rounds; round += 1) acks.push(...(await stormAndKill(program, directory, round)));
  expect(acks.length).toBeGreaterThan(rounds * acksBeforeKill);

  const store = await SqliteEventStore.open({ directory, clock: new ManualClock() });
  const idAt = new Map<string, string>();
  const streams = new Set(acks.map((line) => line.split(' ')[0]!));
  for (const stream of streams) {
    const events: RecordedEvent[] = [];
    for (
      let page = await store.read(stream, { limit: 4096 });
      page.length > 0;
      page = await store.read(stream, { from: events.length, limit: 4096 })
    )
      events.push(...page);
    events.forEach(({ revision, id, data }, n) => {
      expect(revision).toBe(n);
      idAt.set(`${stream} ${revision}`, id);
      if (n > 0 && events[n - 1]!.data['append'] === data['append'])
        expect(data['part']).toBe((events[n - 1]!.data['part'] as number) + 1);
      else expect(data['part']).toBe(0);
    });
    const last = events.at(-1)!.data;
    expect(last['part']).toBe((last['of'] as number) - 1);
  }
  for (const line of acks) {
    const [stream, revision, id] = line.split(' ');
    expect(idAt.get(`${stream} ${revision}`)).toBe(id);
  }
  await store.close();
  for (const folder of [program, directory]) rmSync(folder, { recursive: true });
}, 60_000);
