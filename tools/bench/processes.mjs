// Starts what is measured, the service or the bare server, and reads the processor time and memory they spent.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeEnvironment, nodeFlags } from '../node-flags.mjs';
import { freePort } from '../ports.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
/** Where the measured build lies: its own folder, so that other builds do not move it while it runs. */
export const built = join(root, 'dist', 'bench');
const readyDefaultMs = 20_000;
const outputMax = 20_000;
const tickMs = 10; // of /proc/<pid>/stat

/**
 * Starts the built embedded service on its own folder; with BENCH_PROFILE=<folder> it leaves a processor profile there
 * when it ends.
 * Takes settings as environment variables, the folder and key of an earlier start to start on the same data again, and
 * the folder of a build.
 */
export async function startService(settings = {}, earlier = null, build = built, { readyMs = readyDefaultMs } = {}) {
  const folder = earlier?.folder ?? mkdtempSync(join(tmpdir(), 'aos-bench-'));
  const key = earlier?.key ?? `bench_owner_${randomBytes(24).toString('hex')}`;
  const port = await freePort();
  const args = [...nodeFlags];
  if (process.env.BENCH_PROFILE) {
    mkdirSync(process.env.BENCH_PROFILE, { recursive: true });
    args.push('--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`);
  }
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...args, join(build, 'apps', 'embedded', 'src', 'main.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...nodeEnvironment,
      SVC_PORT: String(port),
      SVC_DATA_DIR: folder,
      SVC_BOOTSTRAP_ORG: 'Bench',
      SVC_BOOTSTRAP_OWNER_KEY: key,
      SVC_LOG_LEVEL: 'warn',
      SVC_RATE_LIMIT_KEY_RPM: '0',
      SVC_RATE_LIMIT_ORG_RPM: '0',
      SVC_STREAMS_PER_KEY: '0',
      SVC_STREAMS_PER_ORG: '0',
      SVC_STREAMS_PER_PROCESS: '0',
      ...settings,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const output = tail(child);
  const deadline = performance.now() + readyMs;
  while (
    !(await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the service did not start:\n${output()}`);
    await pause(20);
  }
  return running({ child, url, output, folder, key, startMs: performance.now() - startedAt });
}

/** Milliseconds of processor time of a process since its start, all threads. */
export function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** With BENCH_PROFILE=<folder> each process of Node leaves a processor profile there when it ends. */
export function profiling() {
  const folder = process.env.BENCH_PROFILE;
  if (!folder) return {};
  mkdirSync(folder, { recursive: true });
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${resolve(folder)}` };
}

export async function startBare() {
  const folder = mkdtempSync(join(tmpdir(), 'aos-bare-'));
  const child = spawn(process.execPath, [join(root, 'tools', 'bench', 'bare-server.mjs'), folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = tail(child);
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    child.once('exit', () => reject(new Error(`the bare server did not start:\n${output()}`)));
  });
  return running({ child, url, output, folder, key: 'none', startMs: 0 });
}

/** A row that failed leaves nothing behind. */
const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function running({ child, ...parts }) {
  children.add(child);
  const metric = async (name) => {
    const text = await (await fetch(`${parts.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  return {
    ...parts,
    pid: child.pid,
    /** Milliseconds of processor time since its start, all threads. */
    cpuMs: async () => (await metric('process_cpu_seconds_total')) * 1000,
    /** Write calls of any kind, and KiB handed to the disk, since its start. */
    written: () => {
      const counter = (name) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1]);
      const io = readFileSync(`/proc/${child.pid}/io`, 'utf8');
      return { calls: counter('syscw'), kib: counter('write_bytes') / 1024 };
    },
    threads: () => threadsOf(child.pid),
    rssKib: async () => (await metric('process_resident_memory_bytes')) / 1024,
    async stop({ keep = false } = {}) {
      if (child.exitCode === null) {
        const ended = new Promise((resolve) => {
          child.once('exit', resolve);
        });
        child.kill('SIGTERM');
        await ended;
      }
      children.delete(child);
      if (!keep) rmSync(parts.folder, { recursive: true, force: true });
    },
  };
}

const groupOfThread = { MainThread: 'main', 'writer.worker': 'log', 'views.worker': 'views' };

/**
 * Microseconds of processor time, write calls and KiB to the disk since their start, of the main thread, the writers of
 * the log and of the views, and all others (collection, compilation, the pool).
 */
export function threadsOf(pid) {
  const sums = Object.fromEntries(
    ['main', 'log', 'views', 'rest'].map((group) => [group, { us: 0, calls: 0, kib: 0 }]),
  );
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const text = (name) => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'utf8');
    const io = text('io');
    const sum = sums[groupOfThread[text('comm').trim()] ?? 'rest'];
    sum.us += Number(text('schedstat').split(' ')[0]) / 1000;
    sum.calls += Number(/^syscw: (\d+)$/m.exec(io)?.[1]);
    sum.kib += Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]) / 1024;
  }
  return sums;
}

/** What the threads took between two looks of `threadsOf`, by turn. */
export function perTurn(before, after, count) {
  const of = (group, what) => (after[group][what] - before[group][what]) / count;
  return Object.fromEntries(
    Object.keys(after).map((group) => [
      group,
      { us: of(group, 'us'), calls: of(group, 'calls'), kib: of(group, 'kib') },
    ]),
  );
}

function tail(child) {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text = (text + chunk).slice(-outputMax);
    });
  return () => text;
}

export function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
