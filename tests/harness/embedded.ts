import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@aos/kernel/testing';
import { Client } from './client.js';
import { eventually } from './waiting.js';

const root = join(__dirname, '..', '..');
/** A build of the run of tests: another one may replace `dist` while services are killed and started again. */
const shared = process.env['OWN_BUILD'];
const dist = shared ?? join(root, 'dist', `own-${process.pid}-${randomBytes(4).toString('hex')}`);
const compiled = { NODE_COMPILE_CACHE: join(dist, 'compile-cache') };
const mainOf = (build: string) => join(build, 'apps', 'embedded', 'src', 'main.js');
const outputKept = 20_000;
/** A start takes two seconds by itself, and much longer on a processor that others use too. */
const readyMs = 120_000;
const readyEveryMs = 50;

beforeAll(() => {
  const built = spawnSync(process.execPath, [join(root, 'tools', 'own-build.mjs'), dist], { encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the service does not build:\n${built.stderr}`);
});

afterAll(() => {
  if (shared === undefined) rmSync(dist, { recursive: true, force: true });
});

const operator = join(dist, 'apps', 'svc', 'src', 'main.js');

/** Starts a service that should not come up; gives what it said and its exit code when it has ended. */
export async function failedStart(settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'aos-failed-'));
  const env = {
    ...process.env,
    ...compiled,
    SVC_PORT: '0',
    SVC_DATA_DIR: folder,
    SVC_LOG_LEVEL: 'info',
    SVC_LOG_PRETTY: 'on',
    ...settings,
  };
  const child = spawn(process.execPath, ['--enable-source-maps', mainOf(dist)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-outputKept);
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), readyMs);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  return { code, output };
}

/**
 * An embedded service of its own with files of its own, that can be killed and started again on the same port and
 * files.
 */
export class OwnService {
  private child: ChildProcess | null = null;
  output = '';
  /** Folder of the build that `run` starts: of this release, until another one is named. */
  build = dist;

  private constructor(
    readonly folder: string,
    private readonly port: number,
    private readonly ownerKey: string,
    private readonly settings: Record<string, string>,
    private readonly kept: number,
  ) {}

  /** Takes settings, and how much of its output is kept. */
  static async start(settings: Record<string, string> = {}, kept = outputKept): Promise<OwnService> {
    const service = new OwnService(
      mkdtempSync(join(tmpdir(), 'aos-own-')),
      await freePort(),
      `own_owner_${randomBytes(24).toString('hex')}`,
      settings,
      kept,
    );
    await service.run();
    return service;
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get client(): Client {
    return new Client(`http://127.0.0.1:${this.port}`, this.ownerKey);
  }

  /** Starts the process and waits until it is ready. Throws at once when the process ends. */
  async run(): Promise<void> {
    const child = spawn(process.execPath, ['--enable-source-maps', mainOf(this.build)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...compiled,
        SVC_PORT: String(this.port),
        SVC_DATA_DIR: this.folder,
        SVC_BOOTSTRAP_ORG: 'Own',
        SVC_BOOTSTRAP_OWNER_KEY: this.ownerKey,
        SVC_LOG_LEVEL: 'warn',
        SVC_RATE_LIMIT_KEY_RPM: '0',
        SVC_RATE_LIMIT_ORG_RPM: '0',
        ...this.settings,
      },
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.output = (this.output + chunk.toString()).slice(-this.kept);
      });
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const isReady = async () => (await fetch(`http://127.0.0.1:${this.port}/readyz`)).ok;
    await eventually('the service to be ready', async () => hasEnded() || (await isReady()), readyMs, readyEveryMs);
    if (hasEnded()) throw new Error(`the service ended as it started:\n${this.output}`);
  }

  /** What the operator's command line says to these words; throws what it complains of. */
  operator(...argv: string[]): Promise<unknown> {
    const env = { ...process.env, SVC_DATA_DIR: this.folder, ...this.settings };
    return new Promise((resolve, reject) => {
      execFile(process.execPath, [operator, ...argv], { env }, (failure, stdout, stderr) => {
        if (failure) reject(new Error(`svc ${argv.join(' ')} ended with ${String(failure.code)}: ${stderr}`));
        else resolve(JSON.parse(stdout));
      });
    });
  }

  /** Ends the process with this signal and waits until it is gone; gives how long that took. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number> {
    const { child } = this;
    this.child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return 0;
    const startedAt = performance.now();
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return performance.now() - startedAt;
  }

  /** Waits until the process has ended by itself. */
  async ended(withinMs?: number): Promise<void> {
    await eventually(
      'the service to end by itself',
      async () => this.child === null || this.child.exitCode !== null || this.child.signalCode !== null,
      withinMs,
    );
    this.child = null;
  }

  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
