// The only writer of the file that can be lost: read models and snapshots. A thread of its own, started from this file
// both as built JavaScript and, in tests, as TypeScript whose types Node strips: so it imports nothing of ours but
// types.
import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromViews, Job, Parameter, PutParameters, RunPart, Step, ToViews } from './views-messages.js';

const stepsMax = 2048; // of one transaction, unless one job has more
const statementsMax = 200;
const checkpointPages = 8000; // pages are written into the file less often the later that is done
const fileVersion = 4; // of the tables below: a file of another one but 2 and 3 is made anew
const onePlaceVersion = 3; // the same tables; a tombstone lay among the rows of its place
const triggersVersion = 2; // the same tables; triggers of rows made their entries
const scopesMax = 10_000; // remembered
/** Rows whose entries are made together: in the order of the index they cost half of what each row's cost alone. */
const lateRows = 16_384;
/** Takes the parameters of a put in the place of a statement's. */
const putText = 'put';
/** Makes the entries that are late. */
const entriesText = 'entries';

/**
 * A tombstone has the negative number of its place: what walks the rows of a place by key passes none, and a busy
 * collection has many of them.
 */
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
  CREATE TRIGGER rows_removed AFTER DELETE ON rows BEGIN
    DELETE FROM entries WHERE (place, name, value, key) IN (
      SELECT old.place, p.value ->> 0, p.value ->> 1, old.key FROM json_each(old.idx) p);
  END;
  CREATE TABLE late_entries (after INTEGER NOT NULL) STRICT;
  CREATE TABLE checkpoints (projection TEXT PRIMARY KEY, position TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE snapshots (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, state TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${fileVersion};
`;
const fromTriggers = `
  DROP VIEW puts; DROP TRIGGER rows_added; DROP TRIGGER rows_changed;
  CREATE TABLE late_entries (after INTEGER NOT NULL) STRICT;
`;
const fromOnePlace = `
  UPDATE rows SET place = -place WHERE doc IS NULL;
  PRAGMA user_version = ${fileVersion};
`;
const tables = ['places', 'rows', 'entries', 'late_entries', 'checkpoints', 'snapshots'];
/** Tables of the same version that nothing uses any more: dropped where an older release made them. */
const formerTables = ['leases', 'topics', 'records', 'commits'];

const port = parentPort!;
const { file } = workerData as { file: string };
const database = openOrRemake();
const statements = new Map<string, StatementSync>();
const scopeIds = new Map<string, number>();
/** Rows with a greater number, of commits that build, have no entries yet; null: every row has its entries. */
let lateAfter = storedLateAfter();
/** How many rows were added since then. */
let late = 0;
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
    const version = opened.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === triggersVersion) opened.exec(`BEGIN IMMEDIATE; ${fromTriggers} ${fromOnePlace} COMMIT`);
    if (version === onePlaceVersion) opened.exec(`BEGIN IMMEDIATE; ${fromOnePlace} COMMIT`);
    if (version === triggersVersion || version === onePlaceVersion || version === fileVersion) {
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

function storedLateAfter(): number | null {
  const after = database.prepare('SELECT max(after) AS after FROM late_entries').get()?.['after'];
  return typeof after === 'number' ? after : null;
}

function scopeIdOf(collection: string, scope: string): number {
  const name = `${collection} ${scope}`;
  const known = scopeIds.get(name);
  if (known !== undefined) return known;
  prepared('INSERT INTO places (collection, scope) VALUES (?, ?) ON CONFLICT DO NOTHING').run(collection, scope);
  const found = prepared('SELECT id FROM places WHERE collection = ? AND scope = ?').get(collection, scope);
  const id = found?.['id'] as number;
  if (scopeIds.size >= scopesMax) scopeIds.clear();
  scopeIds.set(name, id);
  return id;
}

/** The index of a row: pairs of name and value. */
type Pairs = [name: string, value: string | number][];

const addEntry = 'INSERT INTO entries (place, name, value, key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
const removeEntry = 'DELETE FROM entries WHERE place = ? AND name = ? AND value = ? AND key = ?';

/** Runs the statement for each pair of a row but those that are also among the others. */
function runForPairs(sql: string, [scopeId, key]: [number, Parameter], index: string, others: string | null): void {
  const statement = prepared(sql);
  const apart = others === null ? null : new Set((JSON.parse(others) as Pairs).map((pair) => JSON.stringify(pair)));
  for (const pair of JSON.parse(index) as Pairs)
    if (!apart?.has(JSON.stringify(pair))) statement.run(scopeId, pair[0], pair[1], key);
}

/**
 * Puts a row where there is none, or only an earlier revision. Entries of a new row are made with it, or later while
 * rows are built. Gives how many rows it changed.
 */
function put(parameters: readonly Parameter[], isBuilding: boolean): number {
  const [collection, scope, key, revision, at, index, doc] = parameters as PutParameters;
  const scopeId = scopeIdOf(collection, scope);
  if (isBuilding && lateAfter === null) deferEntries();
  const number = doc === null ? -scopeId : scopeId;
  const added = prepared(
    `INSERT INTO rows (place, key, revision, at, idx, doc) SELECT ?1, ?2, ?3, ?4, ?5, ?6
     WHERE NOT EXISTS (SELECT 1 FROM rows WHERE place = -?1 AND key = ?2) ON CONFLICT (place, key) DO NOTHING`,
  ).run(number, key, revision, at, index, doc);
  if (added.changes === 1) {
    if (lateAfter !== null) late += 1;
    if (!isBuilding) runForPairs(addEntry, [scopeId, key], index, null);
    return 1;
  }
  const found = prepared('SELECT id, revision, idx FROM rows WHERE place = ? AND key = ?');
  const same = found.get(number, key);
  const before = same ?? found.get(-number, key)!;
  if (!(revision > (before['revision'] as number))) return 0;
  const changed = [revision, at, index, doc, before['id'] as number];
  if (same) prepared('UPDATE rows SET revision = ?, at = ?, idx = ?, doc = ? WHERE id = ?').run(...changed);
  else prepared('UPDATE rows SET place = -place, revision = ?, at = ?, idx = ?, doc = ? WHERE id = ?').run(...changed);
  const indexBefore = before['idx'] as string;
  if (indexBefore !== index) {
    runForPairs(removeEntry, [scopeId, key], indexBefore, index);
    runForPairs(addEntry, [scopeId, key], index, indexBefore);
  }
  return 1;
}

/** From now on new rows of commits that build get their entries later, also after a crash. */
function deferEntries(): void {
  lateAfter = Number(prepared('SELECT coalesce(max(id), 0) AS last FROM rows').get()?.['last']);
  prepared('INSERT INTO late_entries (after) VALUES (?)').run(lateAfter);
}

/** Makes all entries that are late, in the order of the index. */
function makeLateEntries(): void {
  if (lateAfter === null) return;
  prepared(
    `INSERT INTO entries (place, name, value, key)
     SELECT r.place, p.value ->> 0, p.value ->> 1, r.key FROM rows r, json_each(r.idx) p WHERE r.id > ?
     ORDER BY 1, 2, 3, 4 ON CONFLICT DO NOTHING`,
  ).run(lateAfter);
  prepared('DELETE FROM late_entries').run();
  lateAfter = null;
  late = 0;
}

function runStep(sql: string, parameters: Parameter[], isBuilding: boolean): number {
  if (sql === putText) return put(parameters, isBuilding);
  if (sql === entriesText) {
    makeLateEntries();
    return 0;
  }
  if (sql.startsWith('DELETE FROM rows')) makeLateEntries(); // the numbers of rows that go may be given again
  return Number(prepared(sql).run(...parameters).changes);
}

function runJob({ steps, isAwaited, isBuilding, losses: known }: Job): number {
  if (known !== null && known !== losses) return -1;
  let first = 0;
  for (let n = 0; n < steps.length; n += 1) {
    const [sql, parameters] = steps[n]!;
    const changes = runStep(sql, parameters, isBuilding);
    if (n === 0) first = changes;
    if (n === 0 && known !== null && changes === 0) {
      if (!isAwaited) losses += 1;
      break;
    }
  }
  return first;
}

function commit(jobs: readonly Job[]): void {
  let changed: number[];
  const before = { lateAfter, late, losses };
  try {
    database.exec('BEGIN IMMEDIATE');
    changed = jobs.map(runJob);
    if (late >= lateRows) makeLateEntries();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    scopeIds.clear();
    ({ lateAfter, late, losses } = before);
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

function inOneTransaction(write: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  write();
  database.exec('COMMIT');
}

function* jobsOf({ statements: texts, jobs, parameters }: RunPart): Generator<Job> {
  let [at, parameter] = [0, 0];
  while (at < jobs.length) {
    const [count, isAwaited, losses, isBuilding] = [jobs[at]!, jobs[at + 1] === 1, jobs[at + 2]!, jobs[at + 3] === 1];
    at += 4;
    const steps: Step[] = [];
    for (; steps.length < count; at += 2) {
      steps.push([texts[jobs[at]!]!, parameters.slice(parameter, parameter + jobs[at + 1]!)]);
      parameter += jobs[at + 1]!;
    }
    yield { steps, isAwaited, losses: losses < 0 ? null : losses, isBuilding };
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
    for (const jobs of transactionsOf(message.parts.flatMap((part) => [...jobsOf(part)]))) commit(jobs);
    return;
  }
  if (lateAfter !== null) inOneTransaction(makeLateEntries);
  database.close();
  send({ kind: 'closed' });
  port.close();
});

if (lateAfter !== null) inOneTransaction(makeLateEntries); // those of a process that ended
send({ kind: 'opened' });
