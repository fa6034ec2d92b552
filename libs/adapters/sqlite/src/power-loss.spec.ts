import fc from 'fast-check';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type DiskStep, canRecord, readRecord, recordDisk } from './testing/disk-record.js';
import { compileStorm, expectWhole } from './testing/storm.js';

const acksMax = 1200;
const images = Number(process.env['IMAGES'] ?? 30);
const sectorBytes = 512;
const tornShare = 0.2;

type Change = Exclude<DiskStep, { kind: 'sync' }>;

/** Bytes that grow and are changed in place. */
class Content {
  private constructor(
    private buffer: Buffer,
    private length: number,
  ) {}

  static empty(): Content {
    return new Content(Buffer.alloc(1 << 20), 0);
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
  private readonly synced = Content.empty();
  private unsynced: Change[] = [];

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

/** The disk after the first steps of a record, and what had been acknowledged by then. */
function diskAfter(steps: readonly DiskStep[]): { disk: Map<string, DiskFile>; acks: string[] } {
  const disk = new Map(['log.db', 'log.db-wal'].map((name) => [name, new DiskFile()]));
  const acks: string[] = [];
  for (const step of steps) {
    disk.get(basename(step.path))?.take(step);
    if (step.kind === 'write' && basename(step.path) === 'acks') acks.push(step.bytes.toString().trim());
  }
  return { disk, acks };
}

// invariant 69
const title = 'a log that loses its power in a storm of appends holds every acknowledged one, and none in part';

if (!canRecord) test.todo(`${title} (strace cannot run here)`);
else
  test(
    title,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'aos-power-'));
      const directory = join(folder, 'data');
      mkdirSync(directory);
      const files = ['log.db', 'log.db-wal', 'acks'].map((name) => join(directory, name));
      await recordDisk(
        [compileStorm(folder), directory, '0', join(directory, 'acks'), String(acksMax)],
        files,
        join(folder, 'record'),
      );
      const steps = await readRecord(join(folder, 'record'));
      const { acks } = diskAfter(steps);
      expect(acks.length).toBeGreaterThanOrEqual(acksMax);
      const folds = steps.filter(({ kind, path }) => kind === 'sync' && path.endsWith('/log.db'));
      expect(folds.length).toBeGreaterThan(1); // once when it was made; then the journal was folded into it, and begun again

      const first = steps.findIndex(({ path }) => path.endsWith('-wal')); // before it there is no log
      const cut = fc.oneof(
        fc.integer({ min: first, max: steps.length }),
        fc.constantFrom(...folds.slice(1)).map((fold) => steps.indexOf(fold)), // right before a fold is on the disk
      );
      const draws = fc.noBias(fc.infiniteStream(fc.nat(999)));
      await fc.assert(
        fc.asyncProperty(cut, draws, async (count, drawn) => {
          const after = diskAfter(steps.slice(0, count));
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
      rmSync(folder, { recursive: true });
    },
    120_000,
  );
