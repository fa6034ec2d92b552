import fc from 'fast-check';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type DiskStep, canRecord, readRecord, recordDisk } from './testing/disk-record.js';
import { type StormFormat, compileStorm, expectWhole } from './testing/storm.js';

const acksMax = 1200;
/** Of each log; the long run has more of them (`npm run soak -- log`). */
const images = Number(process.env['IMAGES'] ?? 12);
const stepsBehind = 60; // of a page of an index: the rest of its transaction, and the group after it
const pageBytes = 4096;
/** First bytes of a page of an index, or of a table that is one: inner pages and leaves. */
const indexPages: ReadonlySet<number> = new Set([2, 10]);
const sectorBytes = 512;
const tornShare = 0.2;

type Change = Exclude<DiskStep, { kind: 'sync' }>;

/** Bytes that grow and are changed in place. */
class Content {
  private constructor(
    private buffer: Buffer,
    private length: number,
  ) {}

  static of(bytes: Buffer): Content {
    return new Content(Buffer.concat([bytes, Buffer.alloc(1 << 20)]), bytes.length);
  }

  copy(): Content {
    return new Content(Buffer.from(this.buffer), this.length);
  }

  /** Applies a change, of a write only the sectors that are kept. */
  apply(change: Change, isKept: () => boolean): void {
    if (change.kind === 'truncate') {
      this.resize(change.size);
      return;
    }
    const { offset, bytes } = change;
    this.resize(Math.max(this.length, offset + bytes.length));
    for (let at = 0; at < bytes.length;) {
      const next = Math.min(bytes.length, at + sectorBytes - ((offset + at) % sectorBytes));
      if (isKept()) bytes.copy(this.buffer, offset + at, at, next);
      at = next;
    }
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private resize(length: number): void {
    if (length > this.buffer.length) this.buffer = Buffer.concat([this.buffer, Buffer.alloc(length)]);
    if (length < this.length) this.buffer.fill(0, length, this.length);
    this.length = length;
  }
}

/** A file on the disk: what was synced, and the changes since, which a loss of power keeps, tears or drops. */
class DiskFile {
  private readonly synced: Content;
  private unsynced: Change[] = [];

  /** Takes what the file was when the record began. */
  constructor(bytes: Buffer) {
    this.synced = Content.of(bytes);
  }

  take(step: DiskStep): void {
    if (step.kind !== 'sync') this.unsynced.push(step);
    else for (const change of this.unsynced.splice(0)) this.synced.apply(change, () => true);
  }

  /** Takes draws from 0 to 1. Gives the file after a loss of power. */
  afterLoss(draw: () => number): Buffer {
    const order = this.unsynced.map((change) => ({ change, at: draw() })).sort((a, b) => a.at - b.at);
    const keptShare = draw();
    const left = this.synced.copy();
    for (const { change } of order) {
      const fate = draw();
      if (fate < tornShare) left.apply(change, () => draw() < 0.5);
      else if (fate < tornShare + keptShare) left.apply(change, () => true);
    }
    return left.bytes();
  }
}

/** The files as they were when the record began. */
type Begun = Record<'log.db' | 'log.db-wal', Buffer>;

/** The disk after the first steps of a record, and what had been acknowledged by then. */
function diskAfter(steps: readonly DiskStep[], begun: Begun): { disk: Map<string, DiskFile>; acks: string[] } {
  const disk = new Map(Object.entries(begun).map(([name, bytes]) => [name, new DiskFile(bytes)]));
  const acks: string[] = [];
  for (const step of steps) {
    disk.get(basename(step.path))?.take(step);
    if (step.kind === 'write' && basename(step.path) === 'acks') acks.push(step.bytes.toString().trim());
  }
  return { disk, acks };
}

/** Records a storm on a log of this format. Gives what it did to the files, and what these were before. */
async function recorded(folder: string, format: StormFormat): Promise<{ steps: DiskStep[]; begun: Begun }> {
  const directory = join(folder, 'data');
  mkdirSync(directory);
  const program = compileStorm(folder);
  const storm = (of: StormFormat, acks: number) => [program, directory, of, '0', join(directory, 'acks'), String(acks)];
  if (format === 'both') await recordDisk(storm('1', acksMax / 4), [join(directory, 'none')], join(folder, 'unused'));
  const contentOf = (name: string) => {
    const path = join(directory, name);
    return existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  };
  const begun = { 'log.db': contentOf('log.db'), 'log.db-wal': contentOf('log.db-wal') };
  const files = ['log.db', 'log.db-wal', 'acks'].map((name) => join(directory, name));
  await recordDisk(storm(format, acksMax), files, join(folder, 'record'));
  return { steps: await readRecord(join(folder, 'record')), begun };
}

/** Where the power goes: anywhere, right before a fold is on the disk, or in an index and a little behind it. */
function cutsOf(steps: readonly DiskStep[], folds: readonly DiskStep[]): fc.Arbitrary<number> {
  const first = steps.findIndex(({ path }) => path.endsWith('-wal')); // before it there is no log
  const ofIndex = steps.flatMap((step, at) =>
    step.kind === 'write' && step.bytes.length === pageBytes && indexPages.has(step.bytes[0]!) ? [at] : [],
  );
  return fc.oneof(
    fc.integer({ min: first, max: steps.length }),
    fc.constantFrom(...folds).map((fold) => steps.indexOf(fold)),
    fc
      .tuple(fc.constantFrom(...ofIndex), fc.nat(stepsBehind))
      .map(([at, behind]) => Math.min(steps.length, Math.max(first, at + behind))),
  );
}

// invariant 69, TP1
describe.each<StormFormat>(['1', '2', 'both'])('format %s', (format) => {
  const title = 'a log that loses its power in a storm of appends holds every acknowledged one, and none in part';

  if (!canRecord) test.todo(`${title} (strace cannot run here)`);
  else
    test(
      title,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'aos-power-'));
        const { steps, begun } = await recorded(folder, format);
        const { acks } = diskAfter(steps, begun);
        expect(acks.length).toBeGreaterThanOrEqual(acksMax);
        const folds = steps.filter(({ kind, path }) => kind === 'sync' && path.endsWith('/log.db'));
        if (format !== 'both') folds.shift(); // once when it was made
        expect(folds.length).toBeGreaterThan(0); // then the journal was folded into it, and begun again

        const draws = fc.noBias(fc.infiniteStream(fc.nat(999)));
        await fc.assert(
          fc.asyncProperty(cutsOf(steps, folds), draws, async (count, drawn) => {
            const after = diskAfter(steps.slice(0, count), begun);
            const image = mkdtempSync(join(folder, 'image-'));
            for (const [name, file] of after.disk)
              writeFileSync(
                join(image, name),
                file.afterLoss(() => (drawn.next().value as number) / 1000),
              );
            await expectWhole(image, 1, after.acks);
            rmSync(image, { recursive: true });
          }),
          { numRuns: images, endOnFailure: true },
        );
        process.stdout.write(
          `said: format ${format}: ${images} images of ${steps.length} steps, none lost an append\n`,
        );
        rmSync(folder, { recursive: true });
      },
      120_000 + images * 2000,
    );
});
