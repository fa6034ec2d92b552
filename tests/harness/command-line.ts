import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(__dirname, '..', '..');
const main = join(root, 'dist', 'apps', 'svc', 'src', 'main.js');
const pseudoTerminal = join(__dirname, 'pseudo-terminal.py');
const endMs = 60_000;
/** What was started and has not ended: a test that fails leaves its program waiting for keys. */
const running = new Set<ChildProcess>();

function tracked(child: ChildProcess): ChildProcess {
  running.add(child);
  child.on('close', () => running.delete(child));
  return child;
}

/** Whether this machine has what opens a pseudo-terminal. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;

export interface Ended {
  code: number | null;
  out: string;
  error: string;
}

/** The program `svc` as a person starts it: with an environment and a folder for its profiles. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-cli-'));
  private readonly command: readonly string[];

  constructor(
    private readonly env: Record<string, string>,
    command: readonly string[] = [process.execPath, main],
  ) {
    this.command = command;
  }

  /** The path of the file with profiles. */
  get profiles(): string {
    return join(this.folder, 'svc', 'config.yaml');
  }

  /** Ends what still runs, and removes the folder of profiles. */
  remove(): void {
    for (const child of running) child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true });
  }

  /** The same with other variables; an empty one takes one away. */
  with(env: Record<string, string>): CommandLine {
    const other = new CommandLine({ ...this.env, XDG_CONFIG_HOME: this.folder, ...env }, this.command);
    rmSync(other.folder, { recursive: true });
    return other;
  }

  /** Starts it without a terminal. */
  start(...argv: string[]): ChildProcess {
    const [program = '', ...first] = this.command;
    const options = { cwd: this.folderThere, env: this.variables, stdio: 'pipe' as const };
    return tracked(spawn(program, [...first, ...argv], options));
  }

  /** Runs it to its end, with nothing to read. */
  run(...argv: string[]): Promise<Ended> {
    return this.fed('', ...argv);
  }

  /** Runs it to its end, with a text on its standard input. */
  fed(input: string, ...argv: string[]): Promise<Ended> {
    const child = this.start(...argv);
    child.stdin?.end(input);
    return endOf(child);
  }

  /** Rows or record of a command that must succeed. */
  async json<T>(...argv: string[]): Promise<T> {
    const { code, out, error } = await this.run(...argv, '--output', 'json');
    if (code !== 0) throw new Error(`svc ${argv.join(' ')} ended with ${code}: ${error}`);
    return JSON.parse(out) as T;
  }

  /** Runs it in a pseudo-terminal of that many columns. */
  terminal(columns: number, ...argv: string[]): Terminal {
    const command = [pseudoTerminal, String(columns), '30', ...this.command, ...argv];
    return new Terminal(
      tracked(spawn('python3', command, { cwd: this.folderThere, env: { ...this.variables, TERM: 'xterm-256color' } })),
    );
  }

  private get folderThere(): string {
    return this.env.XDG_CONFIG_HOME ?? this.folder;
  }

  private get variables(): NodeJS.ProcessEnv {
    const { PATH: path, HOME: home } = process.env;
    const env = { PATH: path, HOME: home, XDG_CONFIG_HOME: this.folder, ...this.env };
    return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  }
}

export function endOf(child: ChildProcess): Promise<Ended> {
  let [out, error] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (error += text));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`it did not end within ${endMs} ms:\n${out}${error}`));
    }, endMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, out, error });
    });
  });
}

/** A pseudo-terminal with the program in it: what it shows, and keys for it. */
export class Terminal {
  /** All that was shown, with its escape sequences. */
  raw = '';
  private from = 0;
  private readonly ended: Promise<number | null>;

  constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.raw += text));
    this.ended = new Promise((resolve) => {
      child.on('close', resolve);
    });
  }

  /** What was shown, without colours and movements of the cursor. */
  get text(): string {
    return stripVTControlCharacters(this.raw).replaceAll('\r', '');
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** Waits until the text is shown, after what was waited for before. */
  async shows(text: string): Promise<void> {
    const find = () => this.text.indexOf(text, this.from);
    await new Promise<void>((resolve, reject) => {
      const look = () => {
        if (find() < 0) return;
        clearTimeout(timer);
        this.child.stdout?.off('data', look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.child.stdout?.off('data', look);
        reject(new Error(`"${text}" was not shown within ${endMs} ms; shown was:\n${this.text.slice(-2_000)}`));
      }, endMs);
      this.child.stdout?.on('data', look);
      look();
    });
    this.from = find() + text.length;
  }

  /** Waits for its end; gives the exit code. */
  async end(): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        this.child.kill('SIGKILL');
        reject(new Error(`it did not end within ${endMs} ms; shown was:\n${this.text.slice(-2_000)}`));
      }, endMs);
    });
    return Promise.race([this.ended, late]).finally(() => {
      clearTimeout(timer);
    });
  }
}
