import {
  type Agent,
  Client,
  CommandLine,
  converse,
  createAgent,
  eventually,
  hasPython,
  person,
  script,
  type Session,
  type Turn,
} from '../harness/index.js';

const api = Client.owner();
const svc = new CommandLine({ SVC_URL: process.env.BASE_URL ?? '', SVC_KEY: process.env.OWNER_KEY ?? '' });
const ctrlC = '\u0003';
const prompt = '◆  You';
const down = '\u001b[B';
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, {
    action_selectors: ['svc.interaction.open', 'svc.event.wait'].map((selector) => ({
      selector_type: 'exact',
      selector,
    })),
  });
});
afterAll(() => {
  svc.remove();
});

async function sessionOf(sessionKey: string): Promise<Session> {
  const { items } = await api.get<{ items: Session[] }>('/v1/sessions', {
    agent_id: agent.id,
    session_key: sessionKey,
  });
  if (!items[0]) throw new Error(`there is no session ${sessionKey}`);
  return items[0];
}

async function newestTurn(sessionId: string): Promise<Turn> {
  const { items } = await api.get<{ items: Turn[] }>(`/v1/sessions/${sessionId}/turns`, { order: 'desc', limit: 1 });
  if (!items[0]) throw new Error(`${sessionId} has no turn`);
  return items[0];
}

describe('svc chat without a terminal', () => {
  it('takes each line as a message of one session, and prints the answers alone', async () => {
    const ended = await svc.fed('first\n\nsecond\n', 'chat', agent.name, '--session', 'piped');
    expect(ended).toEqual({ code: 0, out: 'You said: first\nYou said: second\n', error: '' });
    const { id } = await sessionOf('piped');
    expect((await api.get<{ items: Turn[] }>(`/v1/sessions/${id}/turns`)).items).toHaveLength(2);
  });

  it('ends with 1 on a turn that fails, a question, and an agent that is not there', async () => {
    const failing = await svc.fed(
      `${script({ fail: 'broken' })}\nnever sent\n`,
      'chat',
      agent.name,
      '--session',
      'fails',
    );
    expect(failing).toMatchObject({ code: 1, out: '', error: expect.stringContaining('the turn failed') as string });
    expect(
      (await api.get<{ items: Turn[] }>(`/v1/sessions/${(await sessionOf('fails')).id}/turns`)).items,
    ).toHaveLength(1);
    const unknown = await svc.fed('hello\n', 'chat', 'nobody-by-this-name');
    expect(unknown).toMatchObject({ code: 1, out: '', error: expect.stringContaining('not_found') as string });
  });

  it('ends with 1 for an agent that is not there, and with 0 for one that is, when there is nothing to say', async () => {
    for (const absent of ['nobody-by-this-name', 'agent_00000000000000000000000000'])
      expect(await svc.fed('\n', 'chat', absent)).toMatchObject({
        code: 1,
        out: '',
        error: expect.stringContaining('agent') as string,
      });
    for (const there of [agent.name, agent.id])
      expect(await svc.fed('', 'chat', there)).toEqual({ code: 0, out: '', error: '' });
  });

  it('cancels the turn when it is interrupted', async () => {
    const child = svc.start('chat', agent.name, '--session', 'interrupted');
    let error = '';
    child.stderr?.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin?.write(`${script({ wait_ms: 600_000 }, { say: 'too late' })}\n`);
    const session = await eventually('the session', () => sessionOf('interrupted'));
    await eventually('the turn', async () => (await newestTurn(session.id)).status === 'running');
    child.kill('SIGINT');
    expect(await ended).toBe(1);
    expect(error).toContain('the turn was cancelled');
    expect(await newestTurn(session.id)).toMatchObject({ status: 'cancelled' });
  });
});

if (!hasPython) it.todo('svc chat in a terminal: no python3 opens a pseudo-terminal here');
else
  describe('svc chat in a terminal', () => {
    it('shows text as it comes, cancels the turn at ctrl-c and leaves at the second prompt', async () => {
      const terminal = svc.terminal(80, 'chat', agent.name, '--session', 'typed');
      await terminal.shows(prompt);
      terminal.type('Hello\r');
      await terminal.shows('You said: Hello');
      await terminal.shows(prompt);
      terminal.type('tokens=900 every=50\r');
      await terminal.shows('tok3 ');
      terminal.type(ctrlC);
      await terminal.shows('Cancelled.');
      const { id } = await sessionOf('typed');
      expect(await newestTurn(id)).toMatchObject({ status: 'cancelled' });
      await terminal.shows(prompt);
      terminal.type(ctrlC);
      await terminal.shows(`Session ${id}`);
      expect(await terminal.end()).toBe(0);
    });

    it('takes a terminal that says no width for a usual one', async () => {
      const terminal = svc.terminal(0, 'chat', agent.name, '--session', 'no-width');
      await terminal.shows(prompt);
      terminal.type('Hello\r');
      await terminal.shows('You said: Hello');
      await terminal.shows(prompt);
      terminal.type(ctrlC);
      expect(await terminal.end()).toBe(0);
    });

    it('asks the questions of the agent, and sends what was chosen', async () => {
      const ada = await person(api);
      const there = svc.with({ SVC_KEY: String(ada.client.key) });
      const terminal = there.terminal(200, 'chat', agent.name, '--session', 'asked');
      await terminal.shows(prompt);
      const questions = [
        {
          id: 'how',
          prompt: 'How many?',
          mode: 'select',
          options: ['one', 'two'].map((value) => ({ value, label: `Just ${value}` })),
        },
        { id: 'why', prompt: 'And why?', mode: 'input' },
      ];
      const input = {
        kind: 'request_information',
        title: 'Two things',
        target_user_ids: [ada.id],
        spec: { questions },
      };
      terminal.type(`${script({ call: { name: 'svc_interaction_open', input } }, { say: 'It is asked' })}\r`);
      await terminal.shows('[svc_interaction_open]');
      await terminal.shows('Just two');
      terminal.type(`${down}\r`);
      await terminal.shows('And why?');
      terminal.type('because\r');
      await terminal.shows(prompt);
      const { items } = await ada.client.get<{ items: { status: string; responses: { answers: unknown }[] }[] }>(
        '/v1/interactions',
        { inbox: true, status: 'completed' },
      );
      expect(items).toMatchObject([
        {
          responses: [
            {
              answers: [
                { question_id: 'how', value: 'two' },
                { question_id: 'why', text: 'because' },
              ],
            },
          ],
        },
      ]);
      terminal.type(ctrlC);
      expect(await terminal.end()).toBe(0);
    });

    it('asks the question that a turn waits for, though it was asked before', async () => {
      const ada = await person(api);
      const input = { kind: 'request_approval', title: 'Ship it?', target_user_ids: [ada.id] };
      const asking = script({ call: { name: 'svc_interaction_open', input } }, { say: 'asked' });
      const session = { session_key: 'waits' };
      await converse(ada.client, agent.id, asking, { session });
      const { items } = await ada.client.get<{ items: { id: string }[] }>('/v1/interactions', { inbox: true });
      const terminal = svc
        .with({ SVC_KEY: String(ada.client.key) })
        .terminal(200, 'chat', agent.name, '--session', 'waits');
      await terminal.shows(prompt);
      const wait = { name: 'svc_event_wait', input: { interaction_id: items[0]?.id } };
      terminal.type(`${script({ call: wait }, { say: 'Shipped' })}\r`);
      await terminal.shows('[svc_event_wait]');
      await terminal.shows('Yes');
      terminal.type('\r');
      await terminal.shows('Shipped');
      expect(await ada.client.get(`/v1/interactions/${items[0]?.id}`)).toMatchObject({ status: 'completed' });
      await terminal.shows(prompt);
      terminal.type(ctrlC);
      expect(await terminal.end()).toBe(0);
    });

    it('shows no control characters of others, and keeps a table within a narrow window', async () => {
      const evil = await createAgent(api, { description: '\u001b]0;owned\u0007done' });
      const record = svc.terminal(200, 'agents', 'get', evil.id);
      expect(await record.end()).toBe(0);
      expect(record.text).toContain('\\u001b]0;owned\\u0007done');
      expect(record.raw).not.toContain('\u001b]0;owned');
      const terminal = svc.terminal(200, 'chat', evil.name);
      await terminal.shows(prompt);
      terminal.type(`${script({ say: '\u001b]0;owned\u0007done' })}\r`);
      await terminal.shows(prompt);
      expect(terminal.raw).not.toContain('\u001b]0;owned');
      terminal.type(ctrlC);
      expect(await terminal.end()).toBe(0);

      const narrow = svc.terminal(44, 'agents', 'list');
      expect(await narrow.end()).toBe(0);
      const lines = narrow.text.trimEnd().split('\n');
      expect(lines[0]).toMatch(/^ID/);
      expect(lines.filter((line) => line.length > 44)).toEqual([]);
      expect(narrow.raw).toContain('\u001b[1mID');
      const plain = svc.with({ NO_COLOR: '1' }).terminal(100, 'agents', 'list');
      expect(await plain.end()).toBe(0);
      expect(plain.raw).not.toContain('\u001b[');
    });

    it('asks before it destroys, and does nothing without a yes', async () => {
      const doomed = await createAgent(api);
      const terminal = svc.terminal(100, 'agents', 'delete', doomed.id);
      await terminal.shows('No');
      terminal.type('n');
      expect(await terminal.end()).toBe(1);
      await api.get(`/v1/agents/${doomed.id}`);
      const sure = svc.terminal(100, 'agents', 'delete', doomed.id);
      await sure.shows('No');
      sure.type('y');
      expect(await sure.end()).toBe(0);
      await api.refused('not_found', 'GET', `/v1/agents/${doomed.id}`);
    });

    it('logs in by prompts, and shows no key', async () => {
      const bare = svc.with({ SVC_URL: '', SVC_KEY: '' });
      const terminal = bare.terminal(100, 'login', '--url', process.env.BASE_URL ?? '');
      await terminal.shows('API key');
      terminal.type(`${process.env.OWNER_KEY}\r`);
      await terminal.shows('Logged in to');
      expect(await terminal.end()).toBe(0);
      expect(terminal.raw).not.toContain(String(process.env.OWNER_KEY));
    });

    it('takes an address that is typed in place of the one that it offers, or that one', async () => {
      const bare = new CommandLine({}); // no profile of the test before says an address
      const terminal = bare.terminal(100, 'login');
      await terminal.shows('ttp://127.0.0.1:8080'); // the cursor is on the first character
      terminal.type(`${process.env.BASE_URL}\r`);
      await terminal.shows(`API key for ${process.env.BASE_URL}`);
      terminal.type('\u0003');
      expect(await terminal.end()).toBe(1);
      const second = bare.terminal(100, 'login');
      await second.shows('ttp://127.0.0.1:8080');
      second.type('\r');
      await second.shows('API key for http://127.0.0.1:8080');
      second.type('\u0003');
      expect(await second.end()).toBe(1);
      bare.remove();
    });
  });
