import type { RecordedEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { transformFileSync } from '@swc/core';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SqliteEventStore } from '../sqlite-event-store.js';

const root = join(__dirname, '../../../../..');
const writers = 16;

/** The format of a new log; `both`: of one that has format 1 already, which is moved over meanwhile. */
export type StormFormat = '1' | '2' | 'both';

/**
 * Appends 16 at a time, each of one to four events, behind what the streams have already; prints each acknowledged one,
 * or writes it to the file that is named fourth. It goes on until it is killed, or kills itself after the
 * acknowledgements that are given fifth.
 */
const storm = `
const { randomUUID } = require('node:crypto');
const { openSync, writeSync } = require('node:fs');
const { SqliteEventStore } = require('./libs/adapters/sqlite/src/index.js');
const { SystemClock } = require('./libs/adapters/system/src/index.js');
const [directory, format, round, file, acksMax = Infinity] = process.argv.slice(2);
const written = file ? openSync(file, 'a') : null;
let acks = 0;
const tell = (line) => {
  if (written === null) process.stdout.write(line);
  else writeSync(written, line);
  acks += 1;
  if (acks >= Number(acksMax)) process.kill(process.pid, 'SIGKILL');
};
async function write(store, writer) {
  const stream = 'storm-' + round + 'x' + writer;
  const [last] = await store.read(stream, { backwards: true, limit: 1 });
  let head = last ? last.revision : 'none';
  for (let append = last ? last.data.append + 1 : 0; ; append += 1) {
    const of = 1 + (append % 4);
    const events = Array.from({ length: of }, (_, part) => ({ id: randomUUID(), type: 'Stormed', data: { append, part, of, text: 'x'.repeat(append % 700) }, meta: { round } }));
    const { revision } = await store.append(stream, head, events);
    head = revision;
    tell([stream, revision, events[of - 1].id].join(' ') + '\\n');
  }
}
async function convert(store) {
  while ((await store.convertSome()) > 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
SqliteEventStore.open({ directory, clock: new SystemClock(), newFormat: format === '1' ? 1 : 2 }).then((store) => {
  for (let writer = 0; writer < ${writers}; writer += 1) write(store, writer);
  if (format === 'both') convert(store);
});
`;

/** Takes an empty folder. Gives the program in it. */
export function compileStorm(target: string): string {
  for (const file of globSync('libs/{kernel,adapters/sqlite,adapters/system}/src/**/*.ts', {
    cwd: root,
    exclude: (path) => /\.spec\.ts$|contract|testing/.test(path),
  })) {
    const { code } = transformFileSync(join(root, file), { cwd: root, root });
    const path = join(target, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code);
  }
  const program = join(target, 'storm.js');
  writeFileSync(program, storm);
  return program;
}

/** Opens the log: every acknowledged append of these rounds is in it, in order and once, and no append in part. */
export async function expectWhole(directory: string, rounds: number, acks: readonly string[]): Promise<void> {
  const store = await SqliteEventStore.open({ directory, clock: new ManualClock(), newFormat: 1 });
  try {
    const idAt = new Map<string, string>();
    for (let n = 0; n < rounds * writers; n += 1) {
      const stream = `storm-${Math.floor(n / writers)}x${n % writers}`;
      const events = await allOf(store, stream);
      const written = events.map(({ revision, data }) => [revision, data['append'], data['part']]);
      expect(written).toEqual(wholeAppends(events.length));
      for (const { revision, id } of events) idAt.set(`${stream} ${revision}`, id);
    }
    const lost = acks.filter((line) => {
      const [stream, revision, id] = line.split(' ');
      return idAt.get(`${stream} ${revision}`) !== id;
    });
    expect(lost).toEqual([]);
  } finally {
    await store.close();
  }
}

async function allOf(store: SqliteEventStore, stream: string): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (;;) {
    const page = await store.read(stream, { from: events.length, limit: 4096 });
    if (page.length === 0) return events;
    events.push(...page);
  }
}

/** Revision, append and part of each event of the appends that come to so many events or, cut short, to more. */
function wholeAppends(events: number): number[][] {
  const parts: number[][] = [];
  for (let append = 0; parts.length < events; append += 1)
    for (let part = 0; part < 1 + (append % 4); part += 1) parts.push([parts.length, append, part]);
  return parts;
}
