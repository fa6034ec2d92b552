import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorCommands } from './operator-commands.js';
import { OperatorSocket } from './operator-socket.js';
import { operatorSocketPath, type OperatorAnswer } from './operator-wire.js';

const dataDir = mkdtempSync(join(tmpdir(), 'operator-'));
const commands = new OperatorCommands();
const settings = { dataDir } as ConstructorParameters<typeof OperatorSocket>[1];

const say = (line: string) =>
  new Promise<OperatorAnswer>((resolve, reject) => {
    let text = '';
    const connection = connect(operatorSocketPath(dataDir), () => connection.write(`${line}\n`));
    connection
      .on('data', (chunk) => {
        text += chunk.toString();
      })
      .on('error', reject)
      .on('end', () => {
        resolve(JSON.parse(text) as OperatorAnswer);
      });
  });

describe('the operator socket', () => {
  const socket = new OperatorSocket(commands, settings);
  beforeAll(async () => {
    commands.register({
      name: 'echo',
      words: '<words>',
      options: [{ name: 'org', value: '<org_id>' }],
      summary: 'Says it again.',
      run: async ({ args, options }) => ({ args: [...args], options: { ...options } }),
    });
    writeFileSync(operatorSocketPath(dataDir), ''); // left over by a process that died
    await socket.onApplicationBootstrap();
  });
  afterAll(async () => {
    await socket.onApplicationShutdown();
    rmSync(dataDir, { recursive: true });
  });

  it('is for the owner of the process only', () => {
    expect(statSync(operatorSocketPath(dataDir)).mode & 0o777).toBe(0o600);
  });

  it('runs commands by name', async () => {
    expect(await say(JSON.stringify({ words: ['echo', 'a', 'b'], options: { org: 'x' } }))).toEqual({
      ok: true,
      result: { args: ['a', 'b'], options: { org: 'x' } },
    });
  });

  it('says what is wrong', async () => {
    expect(await say(JSON.stringify({ words: ['nothing'], options: {} }))).toMatchObject({
      ok: false,
      code: 'invalid_argument',
    });
    expect(await say('{"words":[1]}')).toMatchObject({ ok: false, code: 'bad_request' });
    expect(await say('no json')).toMatchObject({ ok: false, code: 'bad_request' });
  });

  it('takes another place when the path is too long for a socket', () => {
    expect(operatorSocketPath(`/${'x'.repeat(200)}`).length).toBeLessThan(100);
  });
});
