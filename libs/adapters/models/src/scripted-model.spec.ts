import { type ModelEvent, ModelFailure, type ModelMessage, type ModelRequest, takeEvents } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { ScriptedModel } from './scripted-model.js';
import { assistant, blocksOf, collect, requestOf, results, user } from './testing/requests.js';

describe('the scripted model', () => {
  const clock = new ManualClock();
  const model = new ScriptedModel({ clock });
  const never = new AbortController().signal;
  const call = (messages: ModelMessage[], rest: Partial<ModelRequest> = {}) =>
    collect(model.stream(requestOf(messages, rest), never));
  const answer = async (messages: ModelMessage[], rest: Partial<ModelRequest> = {}) =>
    blocksOf(await call(messages, rest));
  const text = (said: string) => ({ type: 'text', text: said });
  const play = (...script: unknown[]) => user(JSON.stringify({ script }));
  const textDeltas = (events: ModelEvent[]) =>
    events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []));

  it('repeats what it was told, word by word', async () => {
    const events = await call([user('hello  there, you')], { turnStart: 0, contextTokens: 1234 });
    expect(textDeltas(events)).toEqual(['You ', 'said: ', 'hello  ', 'there, ', 'you']);
    expect(events.at(-1)).toEqual({
      type: 'done',
      stop: 'end',
      model: 'svc-scripted-1',
      provider: 'scripted',
      usage: {
        input_tokens: 1234,
        output_tokens: 7,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        reasoning_tokens: 0,
      },
    });
  });

  it('speaks to the newest row of a person, past those of the service', async () => {
    const context = user('<board>', { service: true, context: { name: 'app-board', content: 'red' } });
    expect(await answer([user('old'), context, user('new'), user('outcome', { service: true })])).toEqual([
      text('You said: new'),
    ]);
    expect(
      await answer(
        [
          user('old'),
          assistant({ type: 'text', text: 'ok' }),
          {
            role: 'user',
            content: [{ type: 'image', media_type: 'image/png', bytes: new Uint8Array(1) }],
            tokens: 1000,
          },
        ],
        { turnStart: 2 },
      ),
    ).toEqual([text('You said: ')]);
    expect(await answer([user('{"not": "a script"}')])).toEqual([text('You said: {"not": "a script"}')]);
  });

  it('streams as many tokens as asked for', async () => {
    const events = await call([user('please tokens=1000 now')]);
    expect(textDeltas(events)).toHaveLength(1000);
    expect(blocksOf(events)).toEqual([text(Array.from({ length: 1000 }, (_, index) => `tok${index} `).join(''))]);
  });

  it('takes its time when told to, and stops at once when given up', async () => {
    const caller = new AbortController();
    const stream = model.stream(requestOf([user('tokens=3 every=50')]), caller.signal);
    await stream.next();
    expect((await stream.next()).value).toMatchObject({ text: 'tok0 ' });
    const second = stream.next();
    clock.advance(49);
    expect(await Promise.race([second.then(() => 'early'), Promise.resolve('waiting')])).toBe('waiting');
    clock.advance(1);
    expect((await second).value).toMatchObject({ text: 'tok1 ' });
    const third = stream.next();
    caller.abort(new Error('cancelled'));
    await expect(third).rejects.toThrow('cancelled');
    expect(clock.pendingTimers).toBe(0);
  });

  it('lets others work while it streams, so that it can be given up', async () => {
    const caller = new AbortController();
    setImmediate(() => caller.abort(new Error('cancelled')));
    await expect(collect(model.stream(requestOf([user('tokens=200000')]), caller.signal))).rejects.toThrow('cancelled');
  });

  it('plays a script call by call', async () => {
    const script = play(
      { think: 'hm hm' },
      { say: 'First.' },
      { call: { name: 'find', input: { q: 1 } } },
      { read: 'last_tool_result' },
      { calls: [{ name: 'a', input: {} }, { name: 'b' }] },
      { repeat_say: { text: 'x ', times: 3 } },
    );
    const first = await call([script]);
    expect(blocksOf(first)).toEqual([
      { type: 'thinking', thinking: 'hm hm' },
      text('First.'),
      { type: 'tool_use', id: expect.stringMatching(/^toolu_[0-9a-z]{26}$/) as string, name: 'find', input: { q: 1 } },
    ]);
    expect(first.at(-1)).toMatchObject({ stop: 'tool_use', usage: { output_tokens: Math.ceil((5 + 6 + 4 + 7) / 4) } });
    expect(await call([script])).toEqual(first);

    const messages = [script, assistant(), results('one', 'two')];
    const second = blocksOf(await call(messages, { callIndex: 1 }));
    expect(second).toMatchObject([
      text('two'),
      { type: 'tool_use', name: 'a' },
      { type: 'tool_use', name: 'b', input: {} },
    ]);
    expect(
      new Set([...second, ...blocksOf(first)].flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))).size,
    ).toBe(3);
    expect(await answer([...messages, assistant(), results('')], { callIndex: 2 })).toEqual([text('x x x ')]);
    expect(await answer([...messages, assistant(), results('')], { callIndex: 3 })).toEqual([
      text(
        `You said: ${JSON.stringify({ script: JSON.parse((script.content[0] as { text: string }).text).script as unknown })}`,
      ),
    ]);
  });

  it('does not start anew for a nudge, and answers it after the end', async () => {
    const script = play({ call: { name: 'wait' } }, { say: 'after' });
    const nudged = [user('earlier'), assistant(), script, assistant(), results('ok'), user('hurry')];
    expect(await answer(nudged, { callIndex: 1, turnStart: 2 })).toEqual([text('after')]);
    expect(await answer([...nudged, assistant(), user('and now?')], { callIndex: 2, turnStart: 2 })).toEqual([
      text('You said: and now?'),
    ]);
    const scriptedNudge = [...nudged, assistant(), play({ say: 'again' })];
    expect((await answer(scriptedNudge, { callIndex: 2, turnStart: 2 }))[0]).toMatchObject({
      text: expect.stringMatching(/^You said: \{"script"/) as string,
    });
  });

  it('plays a script that comes as a nudge to plain input from its start', async () => {
    const nudge = play({ call: { name: 'find' } }, { say: 'found' });
    expect(await answer([user('hi'), assistant(), nudge], { callIndex: 1 })).toMatchObject([
      { type: 'tool_use', name: 'find' },
    ]);
    expect(await answer([user('hi'), assistant(), nudge, assistant(), results('r')], { callIndex: 2 })).toEqual([
      text('found'),
    ]);
  });

  it('finds its input behind context rows of the same turn', async () => {
    const row = user('board', { service: true, context: { name: 'app-board', content: 'blue' } });
    const script = play({ read: 'context:app-board' }, { read: 'context:app-none' }, { read: 'last_user' });
    const older = user('board', { service: true, context: { name: 'app-board', content: 'red' } });
    expect((await answer([older, user('x'), assistant(), row, script], { turnStart: 3 })).slice(0, 2)).toEqual([
      text('blue'),
      text('(none)'),
    ]);
  });

  it('reports the usage it is told to, and fails when told to', async () => {
    const events = await call([play({ usage: { cache_read_input_tokens: 9, output_tokens: 5 } }, { say: 'x' })]);
    expect(events.at(-1)).toMatchObject({ usage: { input_tokens: 77, output_tokens: 5, cache_read_input_tokens: 9 } });
    const shown: ModelEvent[] = [];
    const failing = (async () => {
      for await (const event of model.stream(
        requestOf([play({ say: 'half' }, { error: { type: 'model_unavailable', message: 'gone' } })]),
        never,
      ))
        shown.push(event);
    })();
    await expect(failing).rejects.toEqual(new ModelFailure('gone', false, null, 'model_unavailable'));
    expect(blocksOf(shown)).toEqual([text('half')]);
    await expect(call([play({ error: { type: 'overloaded', message: 'busy' } })])).rejects.toMatchObject({
      errorType: 'model_error',
      message: 'busy',
    });
  });

  it('waits within a script, until given up', async () => {
    const caller = new AbortController();
    const stream = collect(model.stream(requestOf([play({ wait_ms: 3_600_000 }, { say: 'late' })]), caller.signal));
    expect(clock.pendingTimers).toBe(1);
    caller.abort(new Error('cancelled'));
    await expect(stream).rejects.toThrow('cancelled');
    const patient = collect(model.stream(requestOf([play({ wait_ms: 10 }, { say: 'late' })]), never));
    clock.advance(10);
    expect(blocksOf(await patient)).toEqual([text('late')]);
  });

  it.each([
    [{ dance: 1 }, 'script[0].dance is no step'],
    ['x', 'script[0] is not an object'],
    [{ say: 1 }, 'script[0].say is not text'],
    [{ say: 'a', think: 'b' }, 'script[0] has not exactly one member'],
    [{ wait_ms: -1 }, 'script[0].wait_ms is not a whole number'],
    [{ calls: [] }, 'script[0].calls is not a list'],
    [{ usage: { tokens: 1 } }, 'script[0].usage.tokens is no counter'],
    [{ read: 'mind' }, 'script[0].read names nothing to read'],
    [{ call: { name: 'x', input: [] } }, 'script[0].call.input is not an object'],
  ])('refuses the step %j', async (step, message) => {
    await expect(call([play(step)])).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining(message) as string,
    });
  });

  it('sums up for compaction', async () => {
    expect(await answer([user('a'), assistant(), user('b')], { purpose: 'summary' })).toEqual([
      text('Summary of 3 messages.'),
    ]);
  });

  it('costs the same in a long session', async () => {
    let reads = 0;
    const long = new Proxy(
      [
        ...Array.from({ length: 10_000 }, (_, index) => user(`old ${index}`)),
        play({ call: { name: 'a' } }, { say: 'end' }),
        assistant(),
        results('r'),
      ],
      {
        get: (rows, member, receiver) => {
          if (typeof member === 'string' && /^\d+$/.test(member)) reads += 1;
          return Reflect.get(rows, member, receiver) as unknown;
        },
      },
    );
    expect(await answer(long, { turnStart: 10_000, callIndex: 1 })).toEqual([text('end')]);
    expect(reads).toBeLessThan(20);
  });

  it('takes tool use ids from outside', async () => {
    const own = new ScriptedModel({ clock, toolUseId: (_turn, callIndex, position) => `id_${callIndex}_${position}` });
    const events = await collect(own.stream(requestOf([play({ calls: [{ name: 'a' }, { name: 'b' }] })]), never));
    expect(blocksOf(events).map((block) => (block.type === 'tool_use' ? block.id : ''))).toEqual(['id_0_0', 'id_0_1']);
  });

  it('is waited for once for 50 tokens that are there, and gives the same events in whatever way they are taken', async () => {
    const request = requestOf([user('tokens=50')]);
    const stream = model.stream(request, never);
    const next = jest.spyOn(stream, 'next');
    const taken: ModelEvent[] = [];
    await takeEvents(stream, (event) => {
      taken.push(event);
      return null;
    });
    expect(next).toHaveBeenCalledTimes(1);
    expect(textDeltas(taken)).toHaveLength(50);
    expect(taken).toEqual(await collect(model.stream(request, never)));
  });

  it('lets other work pass within a long answer, also where no event is waited for', async () => {
    const stream = model.stream(requestOf([user('tokens=200')]), never);
    const next = jest.spyOn(stream, 'next');
    await takeEvents(stream, () => null);
    expect(next.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  it('has no event ready before a pause is over', async () => {
    const stream = model.stream(requestOf([user('tokens=2 every=20')]), never);
    expect([stream.ready(), stream.ready()]).toMatchObject([{ type: 'block_start' }, { text: 'tok0 ' }]);
    expect([stream.ready(), stream.ready()]).toEqual([null, null]);
    const second = stream.next();
    clock.advance(20);
    expect(await second).toMatchObject({ value: { text: 'tok1 ' } });
  });

  it('listens once to whether it is given up, however many pauses there are, and no more when it ends', async () => {
    const { signal } = new AbortController();
    const [adds, removes] = [jest.spyOn(signal, 'addEventListener'), jest.spyOn(signal, 'removeEventListener')];
    const stream = model.stream(requestOf([user('tokens=20 every=20')]), signal);
    const events = collect(stream);
    for (let pause = 1; pause < 20; pause += 1) {
      await new Promise(setImmediate);
      clock.advance(20);
    }
    expect(textDeltas(await events)).toHaveLength(20);
    expect([adds.mock.calls.length, removes.mock.calls.length]).toEqual([1, 1]);
    expect(removes.mock.calls[0]?.[1]).toBe(adds.mock.calls[0]?.[1]);
  });

  it('can be given up between a pause that is due and the wait for it', async () => {
    const caller = new AbortController();
    const stream = model.stream(requestOf([user('tokens=2 every=20')]), caller.signal);
    expect([stream.ready(), stream.ready(), stream.ready()].map((event) => event?.type)).toEqual([
      'block_start',
      'text_delta',
      undefined,
    ]);
    caller.abort(new Error('cancelled'));
    await expect(stream.next()).rejects.toThrow('cancelled');
    expect(clock.pendingTimers).toBe(0);
  });
});
