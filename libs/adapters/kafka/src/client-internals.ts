import { createRequire } from 'node:module';
import { checksum } from './checksum.js';
import { recordBytes, type BatchRecord, type EncodedRecord } from './record-bytes.js';

const load = createRequire(__filename);

interface RequestQueue {
  pending: unknown[];
  scheduleCheckPendingRequests(): void;
}

interface Encoder {
  buf: Buffer;
  offset: number;
  ensureAvailable(bytes: number): void;
}

let isDone = false;

/**
 * Replaces parts inside of kafkajs 2.2.4, once for all clients of the process. Before the first request is made: that
 * loads what uses them.
 */
export function replaceInternals(): void {
  if (isDone) return;
  isDone = true;
  quietRequestQueues();
  growWithoutZeros();
  replaceExports<typeof checksum>('kafkajs/src/protocol/recordBatch/crc32C/index.js', () => checksum);
  replaceExports<(record: BatchRecord) => EncodedRecord>(
    'kafkajs/src/protocol/recordBatch/record/v0/index.js',
    (theirs) => (record) => recordBytes(record) ?? theirs(record),
  );
}

/** It wakes every millisecond on each idle connection (its issue 1751): here it looks only while requests wait. */
function quietRequestQueues(): void {
  const { prototype } = load('kafkajs/src/network/requestQueue/index.js') as { prototype: RequestQueue };
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhilePending(this: RequestQueue) {
    if (this.pending.length > 0) schedule.call(this);
  };
}

/** It fills each buffer with zeros before it writes: here only what was written is there to be read. */
function growWithoutZeros(): void {
  const { prototype } = load('kafkajs/src/protocol/encoder.js') as { prototype: Encoder };
  prototype.ensureAvailable = function growToHold(this: Encoder, bytes: number) {
    const { buf, offset } = this;
    if (offset + bytes <= buf.length) return;
    this.buf = Buffer.allocUnsafe(Math.max(2 * buf.length, offset + bytes));
    buf.copy(this.buf, 0, 0, offset);
  };
}

function replaceExports<Exports>(name: string, ours: (theirs: Exports) => Exports): void {
  const path = load.resolve(name);
  const theirs = load(path) as Exports;
  const module = load.cache[path];
  if (!module) throw new Error(`${path} is not there`);
  module.exports = ours(theirs);
}
