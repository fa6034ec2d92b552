// The only writer of the file that can be lost: read models and snapshots. A thread of its own, started from this file
// both as built JavaScript and, in tests, as TypeScript whose types Node strips: so it imports nothing of ours but
// types.
import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromViews, Job, RunMessage, Step, ToViews } from './views-messages.js';

const stepsMax = 512; // of one transaction, unless one job has more
const statementsMax = 200;
const checkpointPages = 4000; // pages are written into the file less often the later that is done
const fileVersion = 2; // of the tables below: a file of another one is made anew

const schema = `
  CREATE TABLE places (
    id INTEGER PRIMARY KEY, collection TEXT NOT NULL, scope TEXT NOT NULL, UNIQUE (collection, scope)
  ) STRICT;
  CREATE TABLE rows (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL,
    at INTEGER NOT NULL, idx TEXT NOT NULL, doc TEXT
  ) STRICT;
  CREATE UNIQUE INDEX rows_by_key ON rows (place, key);
  CREATE INDEX tombstones ON rows (at) WHERE doc IS NULL;
  CREATE TABLE entries (
    place INTEGER NOT NULL, name TEXT NOT NULL, value ANY NOT NULL, key TEXT NOT NULL,
    PRIMARY KEY (place, name, value, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER rows_added AFTER INSERT ON rows BEGIN
    INSERT OR IGNORE INTO entries SELECT new.place, p.value ->> 0, p.value ->> 1, new.key FROM json_each(new.idx) p;
  END;
  CREATE TRIGGER rows_changed AFTER UPDATE OF idx ON rows WHEN old.idx <> new.idx BEGIN
    DELETE FROM entries WHERE (place, name, value, key) IN (
      SELECT old.place, p.value ->> 0, p.value ->> 1, old.key FROM json_each(old.idx) p
      WHERE NOT EXISTS (SELECT 1 FROM json_each(new.idx) q WHERE q.value = p.value));
    INSERT OR IGNORE INTO entries SELECT new.place, p.value ->> 0, p.value ->> 1, new.key FROM json_each(new.idx) p
      WHERE NOT EXISTS (SELECT 1 FROM json_each(old.idx) q WHERE q.value = p.value);
  END;
  CREATE TRIGGER rows_removed AFTER DELETE ON rows BEGIN
    DELETE FROM entries WHERE (place, name, value, key) IN (
      SELECT old.place, p.value ->> 0, p.value ->> 1, old.key FROM json_each(old.idx) p);
  END;
  CREATE VIEW puts AS
    SELECT p.collection, p.scope, r.key, r.revision, r.at, r.idx, r.doc FROM rows r JOIN places p ON p.id = r.place;
  CREATE TRIGGER put INSTEAD OF INSERT ON puts BEGIN
    INSERT INTO places (collection, scope) SELECT new.collection, new.scope
      WHERE NOT EXISTS (SELECT 1 FROM places WHERE collection = new.collection AND scope = new.scope);
    INSERT INTO rows (place, key, revision, at, idx, doc)
      SELECT id, new.key, new.revision, new.at, new.idx, new.doc FROM places
      WHERE collection = new.collection AND scope = new.scope
      ON CONFLICT (place, key) DO UPDATE
      SET revision = excluded.revision, at = excluded.at, idx = excluded.idx, doc = excluded.doc
      WHERE excluded.revision > rows.revision;
  END;
  CREATE TABLE checkpoints (projection TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshots (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${fileVersion};
`;
const tables = ['places', 'rows', 'entries', 'checkpoints', 'snapshots'];
/** Tables of the same version that nothing uses any more: dropped where an older release made them. */
const formerTables = ['leases', 'topics', 'records', 'commits'];

const port = parentPort!;
const { file } = workerData as { file: string };
const database = openOrRemake();
const statements = new Map<string, StatementSync>();
let losses = 0;

function send(message: FromViews): void {
  port.postMessage(message);
}

function open(): DatabaseSync {
  closeSync(openSync(file, 'a', 0o600)); // SQLite would make it as open as the process's mask allows
  const opened = new DatabaseSync(file, { timeout: 5000 });
  opened.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${checkpointPages};
     PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -32768`,
  );
  // a statement with triggers keeps what would undo it: two thirds of all writes went to temporary files for that
  opened.exec('PRAGMA temp_store = MEMORY');
  return opened;
}

/** Nothing here is the truth: what cannot be read, or is of another version, is thrown away and built again. */
function openOrRemake(): DatabaseSync {
  let opened: DatabaseSync | null = null;
  try {
    opened = open();
    if (opened.prepare('PRAGMA user_version').get()?.['user_version'] === fileVersion) {
      for (const table of tables) opened.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
      for (const table of formerTables) opened.exec(`DROP TABLE IF EXISTS ${table}`);
      return opened;
    }
  } catch (error) {
    process.emitWarning(
      `${file} cannot be used (${error instanceof Error ? error.message : String(error)}) and is made anew`,
    );
  }
  opened?.close();
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
  const made = open();
  made.exec(`BEGIN; ${schema} COMMIT`);
  return made;
}

function prepared(sql: string): StatementSync {
  let statement = statements.get(sql);
  if (!statement) {
    if (statements.size >= statementsMax) statements.clear();
    statement = database.prepare(sql);
    statements.set(sql, statement);
  }
  return statement;
}

function runJob({ steps, losses: known }: Job): number {
  if (known !== null && known !== losses) return -1;
  let first = 0;
  for (let n = 0; n < steps.length; n += 1) {
    const [sql, parameters] = steps[n]!;
    const changes = Number(prepared(sql).run(...parameters).changes);
    if (n === 0) first = changes;
    if (n === 0 && known !== null && changes === 0) break;
  }
  return first;
}

function commit(jobs: readonly Job[]): void {
  let changed: number[];
  try {
    database.exec('BEGIN IMMEDIATE');
    changed = jobs.map(runJob);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    if (jobs.length > 1) {
      // one that cannot be written does not fail the others
      for (const job of jobs) commit([job]);
      return;
    }
    if (jobs[0]?.isAwaited === false) losses += 1;
    send({ kind: 'unavailable', count: jobs.length, message: error instanceof Error ? error.message : String(error) });
    return;
  }
  send({ kind: 'done', changed });
}

function* jobsOf({ statements: texts, jobs, parameters }: RunMessage): Generator<Job> {
  let [at, parameter] = [0, 0];
  while (at < jobs.length) {
    const [count, isAwaited, losses] = [jobs[at]!, jobs[at + 1] === 1, jobs[at + 2]!];
    at += 3;
    const steps: Step[] = [];
    for (; steps.length < count; at += 2) {
      steps.push([texts[jobs[at]!]!, parameters.slice(parameter, parameter + jobs[at + 1]!)]);
      parameter += jobs[at + 1]!;
    }
    yield { steps, isAwaited, losses: losses < 0 ? null : losses };
  }
}

/** What is written together: a reader waits for those before it and not for all. */
function* transactionsOf(jobs: readonly Job[]): Generator<Job[]> {
  let together: Job[] = [];
  let count = 0;
  for (const job of jobs) {
    if (together.length > 0 && count + job.steps.length > stepsMax) {
      yield together;
      [together, count] = [[], 0];
    }
    together.push(job);
    count += job.steps.length;
  }
  yield together;
}

port.on('message', (message: ToViews) => {
  if (message.kind === 'run') {
    for (const jobs of transactionsOf([...jobsOf(message)])) commit(jobs);
    return;
  }
  database.close();
  send({ kind: 'closed' });
  port.close();
});

send({ kind: 'opened' });
