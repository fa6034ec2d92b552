import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(__dirname, '..', '..', '..', '..');

/** The embedded service, started as `npm start` does, with files of its own. */
export class StartedService {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly url: string,
  ) {}

  /** Takes the name of its organization and the key of its Owner. */
  static async start(organization: string, key: string): Promise<StartedService> {
    const folder = mkdtempSync(join(tmpdir(), 'started-'));
    const child = spawn(process.execPath, [join(root, 'tools', 'start.mjs'), 'embedded'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SVC_PORT: '0',
        SVC_DATA_DIR: folder,
        SVC_LOG_LEVEL: 'warn',
        SVC_BOOTSTRAP_ORG: organization,
        SVC_BOOTSTRAP_OWNER_KEY: key,
      },
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const url = /API document: (http:\S+)\/openapi.yaml/.exec(line)?.[1];
      if (url !== undefined) return new StartedService(child, folder, url);
    }
    throw new Error('the service ended before it said where it is');
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}
