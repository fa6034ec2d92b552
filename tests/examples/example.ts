import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '..', '..');
/** Packages of this workspace: what an example says of them, their folder, and what builds them. */
const own: Record<string, { named: string; folder: string; builder: string }> = {
  'agent-service-client': { named: 'file:../../libs/client', folder: 'libs/client', builder: 'client.mjs' },
  'agent-service-cli': { named: 'file:../../apps/svc', folder: 'apps/svc', builder: 'svc-package.mjs' },
};
const runMs = 170_000;
const outputMax = 100_000;
const execute = promisify(execFile);

/** Packs packages of this workspace, each once. */
export class Tarballs {
  readonly folder = mkdtempSync(join(tmpdir(), 'aos-tarballs-'));
  private readonly packed = new Map<string, Promise<string>>();

  /** Gives the tarball's path. */
  of(name: string): Promise<string> {
    const found = this.packed.get(name) ?? this.pack(name);
    this.packed.set(name, found);
    return found;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async pack(name: string): Promise<string> {
    const ours = own[name];
    if (!ours) throw new Error(`${name} is no package of this workspace`);
    await execute(process.execPath, [join(root, 'tools', ours.builder)]);
    const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', this.folder];
    const { stdout } = await execute('npm', args, { cwd: join(root, ours.folder) });
    return join(this.folder, stdout.trim());
  }
}

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

export const readmeOf = (name: string): string => readFileSync(join(root, 'examples', name, 'README.md'), 'utf8');

/** A program that goes on, and what it printed so far. */
export interface Started {
  child: ChildProcess;
  printed: () => string;
}

/** A copy of one example outside of the workspace, as a reader has it. */
export class ExampleCopy {
  readonly folder: string;

  private constructor(readonly name: string) {
    this.folder = mkdtempSync(join(tmpdir(), `aos-${name}-`));
    const isSource = (path: string) => !path.includes('node_modules');
    cpSync(join(root, 'examples', name), this.folder, { recursive: true, filter: isSource });
  }

  static async installed(name: string, tarballs: Tarballs): Promise<ExampleCopy> {
    const copy = new ExampleCopy(name);
    await copy.install(tarballs);
    return copy;
  }

  /**
   * Installs the workspace's packages from their tarballs, as a reader does, and links the others from the workspace's
   * node_modules: no network. Refuses a version that is not the workspace's.
   */
  private async install(tarballs: Tarballs): Promise<void> {
    const manifest = manifestIn(this.folder);
    const named = Object.entries(manifest.dependencies);
    const ours = named.filter(([name, version]) => own[name]?.named === version).map(([name]) => name);
    const others = named.filter(([name]) => !ours.includes(name));
    const files = await Promise.all(ours.map((name) => tarballs.of(name)));
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify({ ...manifest, dependencies: {} }));
    const args = ['install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...files];
    await execute('npm', args, { cwd: this.folder });
    for (const [name, version] of others) {
      const source = join(root, 'node_modules', name);
      const here = manifestIn(source).version;
      if (version !== here) throw new Error(`${name} is ${here} here, and ${version} in the example`);
      const target = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(source, target);
    }
  }

  /** Refuses what does not compile against the packed client's types. */
  async checkTypes(): Promise<void> {
    const sources = readdirSync(this.folder).filter((name) => /\.tsx?$/.test(name));
    if (sources.length === 0) return;
    const options = '--strict --noEmit --module nodenext --target es2023 --erasableSyntaxOnly --types node';
    const typeRoots = ['--typeRoots', join(root, 'node_modules', '@types')];
    const args = [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ...options.split(' '), ...typeRoots];
    await execute(process.execPath, [...args, ...sources], { cwd: this.folder }).catch((error: { stdout: string }) => {
      throw new Error(`${this.name} has types that do not fit:\n${error.stdout}`, { cause: error });
    });
  }

  /**
   * Runs the lines of a README's block but for `npm install`, and ends what they left in the background. Gives what was
   * printed; refuses when the last line fails.
   */
  async run(command: string, env: Record<string, string | undefined>): Promise<string> {
    const lines = command.split('\n').filter((line) => line !== 'npm install');
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const child = spawn('bash', ['-c', lines.join('\n')], {
      cwd: this.folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env, PATH: path },
    });
    let [printed, complaints] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (printed = (printed + piece.toString()).slice(-outputMax)));
    child.stderr.on('data', (piece: Buffer) => (complaints = (complaints + piece.toString()).slice(-outputMax)));
    const endAll = () => {
      if (child.pid !== undefined) endGroup(child.pid);
    };
    const timer = setTimeout(endAll, runMs);
    const [code] = (await once(child, 'exit')) as [number | null];
    clearTimeout(timer);
    endAll();
    if (!child.stdout.closed) await once(child, 'close');
    if (code !== 0) throw new Error(`${this.name} ended with ${code}:\n${printed}${complaints.slice(-2000)}`);
    return printed;
  }

  /** Starts a program of the example, which goes on until it is ended; gives it once it printed this. */
  async start(program: string, env: Record<string, string>, ready: string): Promise<Started> {
    const child = spawn(process.execPath, [program], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    let printed = '';
    child.stdout.on('data', (piece: Buffer) => (printed = (printed + piece.toString()).slice(-outputMax)));
    while (!printed.includes(ready)) {
      const ended = once(child, 'exit').then(() => true);
      if (await Promise.race([ended, once(child.stdout, 'data').then(() => false)]))
        throw new Error(`${program} ended with ${child.exitCode}: ${printed}`);
    }
    return { child, printed: () => printed };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // none is left
  }
}
