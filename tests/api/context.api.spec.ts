import {
  type Agent,
  Client,
  endlessScript,
  type TurnAck,
  allRows,
  cancelTurn,
  converse,
  createAgent,
  createSession,
  invoke,
  reaches,
  rowsWithContext,
  said,
  script,
  settled,
  startTurn,
  text,
  unique,
  v1,
  v2,
} from '../harness/index.js';

const api = Client.owner();
let agent: Agent;

beforeAll(async () => {
  agent = await createAgent(api, { name: unique('context') });
});

type Item = { name: string; content: string };
const turnsPath = (sessionId: string): string => `/v1/sessions/${sessionId}/turns`;
const fresh = async (fields: object = {}): Promise<string> =>
  (await createSession(api, agent.id, { mode: 'new', ...fields })).id;
const begin = (sessionId: string, input: string, context: Item[], key?: string): Promise<TurnAck> =>
  api.post<TurnAck>(
    turnsPath(sessionId),
    { input: { content: [text(input)], context, ...(key === undefined ? {} : { idempotency_key: key }) } },
    202,
  );
const recorded = async (sessionId: string): Promise<unknown[]> =>
  (await rowsWithContext(api, sessionId))
    .filter(({ content }) => content[0]?.type === 'reminder' && content[0].name !== 'session-nudge')
    .map(({ content }) => [content[0]?.name, content[0]?.content]);
const asked = (...names: string[]): string =>
  script(...names.flatMap((name) => [{ read: `context:app-${name}` }, { say: '|' }]));

describe('context: recording', () => {
  it('an omitted name keeps its value; an explicit one replaces it; the model reads the newest', async () => {
    const id = await fresh();
    await settled(
      api,
      await begin(id, 'one', [
        { name: 'board', content: 'red' },
        { name: 'mood', content: 'calm' },
      ]),
    );
    await settled(api, await begin(id, asked('board', 'mood'), [{ name: 'mood', content: '(cleared)' }]));
    await settled(api, await startTurn(api, id, asked('board', 'mood', 'never')));
    expect(
      (await allRows(api, id))
        .filter(({ role }) => role === 'assistant')
        .slice(1)
        .map((row) => said(row)),
    ).toEqual(['red|(cleared)|', 'red|(cleared)|(none)|']);
    expect(await recorded(id)).toEqual([
      ['app-board', 'red'],
      ['app-mood', 'calm'],
      ['app-mood', '(cleared)'],
    ]);
  });

  it('content is kept verbatim: white space, line ends, zero width and astral characters', async () => {
    const id = await fresh();
    const content = '  a\r\n\tb \u200b 𝒳 ?</reminder>';
    await settled(api, await begin(id, asked('raw'), [{ name: 'raw', content }]));
    expect(await recorded(id)).toEqual([['app-raw', content]]);
    expect(said((await allRows(api, id)).at(-1))).toBe(`${content}|`);
  });

  it('is told on every way to start: invoke, seed form, flat form; a repeat records nothing', async () => {
    const id = await fresh();
    const first = await begin(id, 'one', [{ name: 'a', content: '1' }], 'k');
    await settled(api, first);
    await settled(
      api,
      await api.post<TurnAck>(
        turnsPath(id),
        { role: 'user', content: [text('two')], context: [{ name: 'b', content: '2' }] },
        202,
      ),
    );
    expect(await begin(id, 'one', [{ name: 'a', content: 'CANARY' }], 'k')).toMatchObject({
      deduped: true,
      turn_id: first.turn_id,
    });
    expect(await recorded(id)).toEqual([
      ['app-a', '1'],
      ['app-b', '2'],
    ]);
  });

  it('what a turn that failed or was cancelled brought in stays', async () => {
    const id = await fresh();
    await settled(
      api,
      await begin(id, script({ error: { type: 'model_error', message: 'x' } }), [{ name: 'a', content: '1' }]),
    );
    const open = await begin(id, endlessScript, [{ name: 'b', content: '2' }]);
    await reaches(api, open, 'running');
    await cancelTurn(api, open);
    await settled(
      api,
      await begin(id, asked('a', 'b'), [
        { name: 'a', content: '1' },
        { name: 'b', content: '2' },
      ]),
    );
    expect(await recorded(id)).toEqual([
      ['app-a', '1'],
      ['app-b', '2'],
    ]);
    expect(said((await allRows(api, id)).at(-1))).toBe('1|2|');
  });

  it('a nudge that becomes a turn sees it, and brings none', async () => {
    const id = await fresh();
    await settled(api, await begin(id, 'one', [{ name: 'a', content: '1' }]));
    const { turn } = await api.post<{ turn: { id: string } }>(
      `/v1/sessions/${id}/nudges`,
      { content: asked('a'), context: [{ name: 'b', content: 'CANARY' }] },
      202,
    );
    await settled(api, { session_id: id, turn_id: turn.id });
    expect(said((await allRows(api, id)).at(-1))).toBe('1|');
    expect(await recorded(id)).toEqual([['app-a', '1']]);
  });

  it('sessions do not share it', async () => {
    const how = { context: [{ name: 'a', content: 'mine' }] };
    const [one, two] = [await converse(api, agent.id, 'x', how), await converse(api, agent.id, asked('a'))];
    expect(await recorded(one.ack.session_id)).toHaveLength(1);
    expect(said((await allRows(api, two.ack.session_id)).at(-1))).toBe('(none)|');
  });

  it("invariants 8, 11: of racing starts only the winner's value is recorded, and a repeat of the race adds none", async () => {
    const id = await fresh();
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          api.send('POST', turnsPath(id), {
            body: {
              input: {
                content: [text(endlessScript)],
                idempotency_key: `${round}-${index}`,
                context: [{ name: 'racer', content: `${round}.${index}` }],
              },
            },
          }),
        ),
      );
      const won = answers.flatMap(({ status, body }, index) =>
        status === 202 ? [{ place: index, ack: body as TurnAck }] : [],
      );
      expect(won).toHaveLength(1);
      expect((await recorded(id)).at(-1)).toEqual(['app-racer', `${round}.${won[0]?.place}`]);
      expect(await recorded(id)).toHaveLength(round + 1);
      await cancelTurn(api, won[0]?.ack as TurnAck);
    }
  });
});

describe('context: where it shows', () => {
  it('S27, S28: takes a number, and stands in no stream and no snapshot', async () => {
    const id = await fresh();
    const ack = await begin(id, script({ wait_ms: 200 }, { say: 'x' }), [{ name: 'secret', content: 'CANARY' }]);
    expect(ack.after_sequence).toBe(2);
    const [one, two] = await Promise.all([v1(api, id, { after_sequence: 0 }), v2(api, id)]);
    for (const stream of [one, two]) expect(JSON.stringify(await stream.over())).not.toContain('CANARY');
    expect(one.frames.filter((frame) => frame.id !== null).map((frame) => frame.id)).toEqual(['2', '3']);
    const whole = await api.send('GET', `/v1/sessions/${id}/transcript`);
    expect(whole.text).not.toContain('CANARY');
    expect((await api.send('GET', `/v1/sessions/${id}/messages`)).text).not.toContain('CANARY');
    expect((await api.get<{ message_count: number }>(`/v1/sessions/${id}`)).message_count).toBe(2);
  });

  it('L10 on turn starts: refused before anything is written', async () => {
    const id = await fresh();
    const refused = (context: object[], invalid = false) =>
      api.refused('bad_request', 'POST', turnsPath(id), {
        body: { input: { content: [text('x')], context } },
        invalid,
      });
    await refused([{ name: 'a', content: '€'.repeat(2731) }]);
    await refused([
      { name: 'a', content: 'x'.repeat(8192) },
      { name: 'b', content: 'x'.repeat(8192) },
      { name: 'c', content: 'x' },
    ]);
    await refused([
      { name: 'a', content: 'x' },
      { name: 'a', content: 'x' },
    ]);
    await refused([{ name: 'A', content: 'x' }], true);
    expect(await rowsWithContext(api, id)).toEqual([]);
  });
});

describe('context: invoke and start agree', () => {
  it('a value told on invoke is known to a turn start', async () => {
    const ack = await invoke(api, agent.id, 'one', { context: [{ name: 'a', content: '1' }] });
    await settled(api, ack);
    await settled(api, await begin(ack.session_id, asked('a'), [{ name: 'a', content: '1' }]));
    expect(await recorded(ack.session_id)).toHaveLength(1);
  });
});
