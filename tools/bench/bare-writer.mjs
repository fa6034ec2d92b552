// The writer thread of the bare server: one SQLite file, synchronous=FULL, everything that waits goes into one
// transaction.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const log = new DatabaseSync(workerData.file);
log.exec(
  'PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, revision INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (stream, revision)); CREATE TABLE turns (position INTEGER PRIMARY KEY, body TEXT NOT NULL)',
);
const insert = log.prepare('INSERT INTO events (stream, revision, body) VALUES (?, ?, ?)');
const insertTurn = log.prepare('INSERT INTO turns (body) VALUES (?)');
let waiting = [];

function commit() {
  const group = waiting;
  waiting = [];
  log.exec('BEGIN IMMEDIATE');
  for (const { stream, events, row } of group)
    if (row !== undefined) insertTurn.run(row);
    else for (const [revision, event] of events.entries()) insert.run(stream, revision, event);
  log.exec('COMMIT');
  parentPort.postMessage(group.map(({ id }) => id));
}

parentPort.on('message', (append) => {
  if (append === 'stop') {
    log.close();
    parentPort.close();
    return;
  }
  waiting.push(append);
  if (waiting.length === 1) setImmediate(commit);
});
