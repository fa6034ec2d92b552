import { spawn, spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** What a program did to a file, in the order in which the kernel was asked. A sync counts when it has returned. */
export type DiskStep =
  | { kind: 'write'; path: string; offset: number; bytes: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'sync'; path: string };

const calls = 'write,pwrite64,fsync,fdatasync,ftruncate';
/** Calls that write in another way, or share memory with a file: a record with one of them would be wrong. */
const strangeCalls = 'writev,pwritev,pwritev2,fallocate,copy_file_range,unlink,unlinkat,rename';
const begun =
  /^(\d+) +(\w+)\(\d+<((?:\\x..)+)>(?:, "((?:\\x..)*)", (\d+)(?:, (\d+))?|, (\d+))?(\) += \d+| <unfinished \.\.\.>)$/;
const resumed = /^(\d+) +<\.\.\. (\w+) resumed>\) += \d+$/;
const ending = /^\d+ +(?:\+\+\+|---) |^\d+ +<\.\.\. \w+ resumed>.* = \?$/;
/** A call that the program's end broke off: its result is unknown. */
const brokenOff = /(?: <unfinished \.\.\.>)?\) += \?$/;

export const canRecord = spawnSync('strace', ['-qq', 'true'], { stdio: 'ignore' }).status === 0;

/** Runs a program until it ends, and writes to `record` what it does to these files. */
export async function recordDisk(program: readonly string[], files: readonly string[], record: string): Promise<void> {
  const watched = files.flatMap((file) => ['-P', file]);
  const options = ['-f', '-qq', '-y', '-xx', '-s', '1000000', '-e', `trace=${calls},${strangeCalls}`, '-o', record];
  const child = spawn('strace', [...watched, ...options, process.execPath, ...program], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
}

/** Reads a record. Refuses a line that it does not know. */
export async function readRecord(record: string): Promise<DiskStep[]> {
  const steps: DiskStep[] = [];
  const ends = new Map<string, number>();
  const syncing = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(record, 'latin1') })) {
    const asked = line.includes(' resumed>') ? line : line.replace(brokenOff, ' <unfinished ...>');
    const [, thread = '', call = '', pathText = '', text = '', , offset, size, end = ''] = begun.exec(asked) ?? [];
    const path = bytesOf(pathText).toString();
    const isDone = end.startsWith(')');
    if (call.endsWith('write') || call === 'pwrite64') {
      const bytes = bytesOf(text);
      const at = offset === undefined ? (ends.get(path) ?? 0) : Number(offset);
      if (offset === undefined) ends.set(path, at + bytes.length);
      steps.push({ kind: 'write', path, offset: at, bytes });
    } else if (call === 'ftruncate') steps.push({ kind: 'truncate', path, size: Number(size) });
    else if (call === 'fsync' || call === 'fdatasync') {
      if (isDone) steps.push({ kind: 'sync', path });
      else syncing.set(thread, path);
    } else {
      const [, waiting = '', ended = ''] = resumed.exec(line) ?? [];
      const synced = syncing.get(waiting);
      if (ended.endsWith('sync') && synced !== undefined) steps.push({ kind: 'sync', path: synced });
      else if (ended === '' && !ending.test(line)) throw new Error(`not understood: ${line.slice(0, 200)}`);
      syncing.delete(waiting);
    }
  }
  return steps;
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
