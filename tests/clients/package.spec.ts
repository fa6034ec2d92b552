import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createAgent, Client } from '../harness/index.js';

const root = join(__dirname, '..', '..');
const gzippedMax = 14_000;
const folder = mkdtempSync(join(tmpdir(), 'aos-client-'));
const installed = join(folder, 'node_modules', 'agent-service-client');

/** What a user would write; it prints what it saw as one line of JSON. */
const program = `
import { AgentService, ApiError, TranscriptFold, is, verifyDelivery } from 'agent-service-client';
const svc = new AgentService({ baseUrl: process.env.BASE_URL, key: process.env.OWNER_KEY });
const run = svc.invoke(process.env.AGENT, 'Count: tokens=4 every=1');
let text = '';
for await (const piece of run.text()) text += piece;
const turn = await run.done();
const types = [];
for await (const { data } of svc.sessions.follow(turn.session_id)) types.push(data.event_type);
const transcript = svc.sessions.transcript(turn.session_id);
await transcript.ready;
const lacks = await svc.agents.get('agent_none').catch((error) => is.notFound(error) && error instanceof ApiError);
const forged = await verifyDelivery({ headers: {}, body: '' }, 'secret').catch((error) => error.name);
console.log(JSON.stringify({ text, status: turn.status, ends: types.at(-1), rows: transcript.messages.length, lacks, forged }));
transcript.close();
`;
const seen = {
  text: 'tok0 tok1 tok2 tok3 ',
  status: 'completed',
  ends: 'stream.end',
  rows: 2,
  lacks: true,
  forged: 'VerificationError',
};

/** Takes a command and its arguments; gives what it printed. Throws what it complains of. */
function carriedOut(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

beforeAll(() => {
  carriedOut(process.execPath, [join(root, 'tools', 'client.mjs')], root);
  const packed = carriedOut('npm', ['pack', '--pack-destination', folder, '--silent'], join(root, 'libs', 'client'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
  carriedOut('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, packed.trim())], folder);
  writeFileSync(join(folder, 'main.mjs'), program);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the package of the client', () => {
  it(`has at most ${gzippedMax} bytes of JavaScript, compressed`, () => {
    expect(gzipSync(readFileSync(join(installed, 'dist', 'index.js')), { level: 9 }).length).toBeLessThanOrEqual(
      gzippedMax,
    );
  });

  it('shows an error that its user does not catch in some lines, without its whole code', () => {
    const script = `import { AgentService } from 'agent-service-client';
await new AgentService({ baseUrl: 'http://127.0.0.1:9', retries: 0 }).agents.get('agent_none');`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd: folder });
    expect(stderr.toString()).toContain('connection_failed');
    expect(stderr.length).toBeLessThan(4_000);
  });

  it('needs nothing: no dependency, no script, no name of the workspace, and the version of the service', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Record<string, unknown>;
    for (const member of ['dependencies', 'peerDependencies', 'scripts', 'private'])
      expect(manifest).not.toHaveProperty(member);
    expect(readFileSync(join(installed, 'dist', 'index.js'), 'utf8')).not.toMatch(/@aos\/|\bfrom ?["']|\bimport\(/);
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(manifest['version']).toBe(version);
    expect(readFileSync(join(installed, 'dist', 'LICENSES.txt'), 'utf8')).toMatch(
      /openapi-fetch[^]*eventsource-parser/,
    );
  });

  it('has types that a project without the workspace compiles against', () => {
    const use = `import { AgentService, is, type Schema } from 'agent-service-client';
const svc = new AgentService({ baseUrl: 'http://127.0.0.1' });
export const agent: Promise<Schema<'Agent'>> = svc.agents.get('agent_1');
export const narrowed = (error: unknown): 'not_found' | null => (is.notFound(error) ? error.code : null);
// @ts-expect-error a name is needed
export const made = svc.agents.create({});
`;
    writeFileSync(join(folder, 'use.ts'), use);
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      lib: ['es2022', 'dom', 'dom.asynciterable'],
      types: [],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['use.ts'] }));
    carriedOut(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder], folder);
  });

  it.each((process.env['CLIENT_NODES'] ?? process.execPath).split(','))('runs from its tarball on %s', async (node) => {
    const api = Client.owner();
    const { name } = await createAgent(api);
    const env = { PATH: process.env['PATH'], BASE_URL: api.baseUrl, OWNER_KEY: api.key ?? '', AGENT: name };
    const { stdout } = await promisify(execFile)(node, [join(folder, 'main.mjs')], { cwd: folder, env });
    expect(JSON.parse(stdout)).toEqual(seen);
  });
});
