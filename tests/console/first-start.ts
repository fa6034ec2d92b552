import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(__dirname, '..', '..');

/** A service as `npm start` starts it on a folder, with what it prints. */
export class FirstStart {
  private constructor(
    private readonly service: ChildProcess,
    /** The console's address as it was printed. */
    readonly link: URL,
    /** The Owner's key; empty for a start that is not the first. */
    readonly ownerKey: string,
  ) {}

  static async on(folder: string): Promise<FirstStart> {
    const env = { ...process.env, SVC_PORT: '0', SVC_DATA_DIR: folder, SVC_LOG_LEVEL: 'warn' };
    const child = spawn(process.execPath, [join(root, 'tools', 'start.mjs'), 'embedded'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    });
    let ownerKey = '';
    for await (const line of createInterface({ input: child.stdout })) {
      ownerKey = /export KEY=(\S+)/.exec(line)?.[1] ?? ownerKey;
      const [, address] = /^Console: (http:\S+)/.exec(line) ?? [];
      if (address !== undefined) return new FirstStart(child, new URL(address), ownerKey);
    }
    throw new Error('the service printed no address of its console');
  }

  async stop(): Promise<void> {
    if (this.service.exitCode !== null) return;
    const ended = once(this.service, 'exit');
    this.service.kill('SIGTERM');
    await ended;
  }
}
