import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from './client.js';
import { eventually } from './waiting.js';

/** The worker of docs/WORKERS.md, word for word. */
export function exampleCode(): string {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'WORKERS.md'), 'utf8');
  const [, code] = /^```js\n([\s\S]*?)^```$/m.exec(page) ?? [];
  if (code === undefined) throw new Error('docs/WORKERS.md shows no worker');
  return code;
}

/** Runs it as a process of its own; `change`: what a test changes of its words. */
export class ExampleWorker {
  private said = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.said += chunk.toString();
      });
  }

  static start(api: Pick<Client, 'baseUrl' | 'key'>, change: (code: string) => string = (code) => code): ExampleWorker {
    const folder = mkdtempSync(join(tmpdir(), 'aos-worker-'));
    const file = join(folder, 'worker.mjs');
    writeFileSync(file, change(exampleCode()));
    return new ExampleWorker(
      spawn(process.execPath, [file], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], SERVICE: api.baseUrl, KEY: api.key ?? '' },
      }),
      folder,
    );
  }

  /** Waits until it has written this. */
  async says(word: string): Promise<void> {
    await eventually(`the worker to say ${word}`, async () => this.said.includes(word));
  }

  /** Waits until it has ended by itself; gives its exit code. */
  async ends(): Promise<number | null> {
    await eventually('the worker to end', async () => this.child.exitCode !== null);
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exited = once(this.child, 'exit');
      this.child.kill('SIGKILL');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
