import { readFileSync } from 'node:fs';

// of a write-ahead log: sqlite.org/fileformat2.html, section 4
const headerBytes = 32;
const pageSizeAt = 8;
const saltsAt = 16;
const saltBytes = 8;
const frameHeaderBytes = 24;
const sizeAfterCommitAt = 4;
const frameSaltsAt = 8;

/** How many transactions a write-ahead log holds: each ends with a frame that says how large the file is then. */
export function transactionsIn(walFile: string): number {
  const wal = readFileSync(walFile);
  if (wal.length < headerBytes) return 0;
  const salts = wal.subarray(saltsAt, saltsAt + saltBytes);
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(pageSizeAt);
  let count = 0;
  for (let at = headerBytes; at + frameBytes <= wal.length; at += frameBytes) {
    if (!wal.subarray(at + frameSaltsAt, at + frameSaltsAt + saltBytes).equals(salts)) break;
    if (wal.readUInt32BE(at + sizeAfterCommitAt) > 0) count += 1;
  }
  return count;
}
