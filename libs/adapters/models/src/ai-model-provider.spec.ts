import { gzipSync } from 'node:zlib';
import { type ModelEvent, ModelFailure, type ModelMessage, type ModelOption, type ModelRequest } from '@aos/kernel';
import { AiModelProvider } from './ai-model-provider.js';
import {
  anthropicMessage,
  breaking,
  chatHello,
  chunk,
  endless,
  failing,
  FakeProvider,
  type Reply,
  sse,
  usageChunk,
} from './testing/fake-provider.js';
import {
  assistant,
  blocksOf,
  collect,
  ImpatientClock,
  optionOf,
  requestOf,
  results,
  user,
} from './testing/requests.js';
import type { Vendor } from './thinking-effort.js';

const hello = { type: 'text' as const, text: 'Hello' };
const image = { type: 'image' as const, media_type: 'image/png', bytes: Buffer.from([1]) };

const megabyte = 1024 * 1024;
const eventStream = { 'content-type': 'text/event-stream' };
const packed =
  (bytes: Buffer): Reply =>
  (response) =>
    response.writeHead(200, { ...eventStream, 'content-encoding': 'gzip' }).end(gzipSync(bytes));

describe('models of vendors', () => {
  let fake: FakeProvider;
  let clock: ImpatientClock;
  let opened: AiModelProvider[];
  beforeEach(async () => {
    fake = await FakeProvider.start();
    clock = new ImpatientClock();
    opened = [];
  });
  afterEach(async () => {
    await fake.stop();
    await Promise.all(opened.map((provider) => provider.close()));
    expect(clock.pendingTimers).toBe(0);
  });

  const open = (vendor: Vendor) => {
    const provider = new AiModelProvider({ vendor, baseUrl: fake.url, apiKey: 'key-1', clock, random: () => 0 });
    opened.push(provider);
    return provider;
  };
  const never = new AbortController().signal;
  const ask = (vendor: Vendor, request: ModelRequest, option: Partial<ModelOption> = {}, signal = never) =>
    open(vendor).stream(optionOf({ provider: vendor, ...option }), request, signal);
  const answer = (vendor: Vendor, request = requestOf([user('hi')]), option: Partial<ModelOption> = {}) =>
    collect(ask(vendor, request, option));
  const failure = async (stream: AsyncIterable<ModelEvent>) => {
    const outcome = await collect(stream).then(
      () => null,
      (error: unknown) => error,
    );
    if (!(outcome instanceof ModelFailure)) throw new Error(`expected a ModelFailure, got ${String(outcome)}`);
    return outcome;
  };

  describe.each(['openai-compatible', 'openai'] as const)('%s', (vendor) => {
    it('streams text, and counts cached input apart', async () => {
      fake.replies.push(sse(chatHello));
      const events = await answer(vendor, requestOf([user('hi')], { system: 'Be brief.' }));
      expect(events.slice(0, 3)).toEqual([
        { type: 'block_start', index: 0, block: { type: 'text' } },
        { type: 'text_delta', index: 0, text: 'Hel' },
        { type: 'text_delta', index: 0, text: 'lo' },
      ]);
      expect(blocksOf(events)).toEqual([{ type: 'text', text: 'Hello' }]);
      expect(events.at(-1)).toEqual({
        type: 'done',
        stop: 'end',
        model: 'fake-1',
        provider: vendor,
        usage: {
          input_tokens: 20,
          output_tokens: 7,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 0,
          reasoning_tokens: 3,
        },
      });
      const { path, headers, body } = await fake.request(0);
      expect(path).toBe('/v1/chat/completions');
      expect(headers.authorization).toBe('Bearer key-1');
      expect(body).toMatchObject({
        model: 'fake-1',
        stream: true,
        stream_options: { include_usage: true },
        messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
      });
      expect(body).not.toHaveProperty('reasoning_effort');
    });

    it('gives parallel tool calls one after another', async () => {
      fake.replies.push(
        sse([
          chunk({ content: 'Looking.' }),
          chunk({
            tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'find', arguments: '{"q":' } }],
          }),
          chunk({
            tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'other', arguments: '{}' } }],
          }),
          chunk({ tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] }),
          chunk({}, 'tool_calls'),
          usageChunk({ prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 }),
          '[DONE]',
        ]),
      );
      const tools = [
        {
          name: 'find',
          description: 'Finds.',
          input_schema: { type: 'object', properties: { q: { type: 'string' } } },
        },
      ];
      const events = await answer(vendor, requestOf([user('hi')], { tools }));
      const [text, ...calls] = blocksOf(events);
      expect(text).toEqual({ type: 'text', text: 'Looking.' });
      expect(new Set(calls)).toEqual(
        new Set([
          { type: 'tool_use', id: 'call_a', name: 'find', input: { q: 'x' } },
          { type: 'tool_use', id: 'call_b', name: 'other', input: {} },
        ]),
      );
      expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'tool_use' });
      expect((await fake.request(0)).body['tools']).toMatchObject([
        { type: 'function', function: { name: 'find', parameters: { properties: { q: { type: 'string' } } } } },
      ]);
    });

    it('sends the transcript with tool results under their calls', async () => {
      fake.replies.push(sse(chatHello));
      await answer(
        vendor,
        requestOf([
          user('go'),
          assistant(
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'tool_use', id: 't0', name: 'find', input: { q: 1 } },
            { type: 'tool_use', id: 't1', name: 'find', input: {} },
          ),
          results('one', 'two'),
          user('and?'),
        ]),
      );
      expect((await fake.request(0)).body['messages']).toMatchObject([
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          tool_calls: [{ id: 't0', function: { name: 'find', arguments: '{"q":1}' } }, { id: 't1' }],
        },
        { role: 'tool', tool_call_id: 't0', content: 'one' },
        { role: 'tool', tool_call_id: 't1', content: 'two' },
        { role: 'user', content: 'and?' },
      ]);
    });

    it('fails a tool input that is no JSON, and a stream without an end', async () => {
      const broken = sse([
        chunk({
          tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'find', arguments: '{"q": [' } }],
        }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ]);
      fake.replies.push(broken, broken, broken);
      expect(await failure(ask(vendor, requestOf([user('hi')])))).toMatchObject({
        retryable: true,
        errorType: 'model_error',
        message: expect.stringContaining('no JSON object') as string,
      });
      expect(fake.seen).toHaveLength(3); // nothing was shown yet, so it was asked for again
      fake.replies.push(
        sse([chunk({ content: 'half' }), '[DONE]']),
        sse([chunk({ content: 'half' })]),
        sse([chunk({ content: 'half' })], 'cut'),
      );
      for (const number of [3, 4, 5]) {
        expect(await failure(ask(vendor, requestOf([user('hi')])))).toMatchObject({
          retryable: true,
          errorType: 'model_error',
        });
        expect(fake.seen).toHaveLength(number + 1);
      }
    });
  });

  it('shows the thinking of compatible endpoints', async () => {
    fake.replies.push(
      sse([
        chunk({ reasoning_content: 'Well' }),
        chunk({ reasoning_content: '...' }),
        chunk({ content: 'Yes.' }),
        chunk({}, 'stop'),
        '[DONE]',
      ]),
    );
    const events = await answer('openai-compatible', requestOf([user('hi')], { thinkingEffort: 'max' }));
    expect(blocksOf(events)).toEqual([
      { type: 'thinking', thinking: 'Well...' },
      { type: 'text', text: 'Yes.' },
    ]);
    expect((await fake.request(0)).body['reasoning_effort']).toBe('high');
  });

  it('leaves out what the model cannot see', async () => {
    const content = [
      { type: 'text' as const, text: 'see' },
      { type: 'image' as const, media_type: 'image/png', bytes: Buffer.from([1]) },
      { type: 'document' as const, media_type: 'application/pdf', bytes: Buffer.from('%PDF-'), title: 'a.pdf' },
      { type: 'document' as const, media_type: 'text/plain', bytes: Buffer.from('plain'), title: 'b' },
    ];
    const messages = [
      { role: 'user' as const, content, tokens: 1 },
      { role: 'user' as const, content: content.slice(1), tokens: 1 },
    ];
    fake.replies.push(sse(chatHello), sse(chatHello), sse(chatHello));
    for (const option of [
      { vision: false, documents: false },
      { vision: true, documents: false },
      { vision: true, documents: true },
    ])
      await answer('openai-compatible', requestOf(messages), option);
    const sent = fake.seen.map(({ body }) => JSON.stringify(body['messages']));
    expect(fake.seen[0]!.body['messages']).toHaveLength(1);
    expect(
      sent.map((text) => [text.includes('image_url'), text.includes('file_data'), text.includes('plain')]),
    ).toEqual([
      [false, false, false],
      [true, false, false],
      [true, true, true],
    ]);
  });

  it.each<[string, ModelMessage[]]>([
    ['of which it can see nothing', [{ ...user(''), content: [image] }]],
    ['of which it can see nothing, after an answer', [user('hi'), assistant(hello), { ...user(''), content: [image] }]],
    ['that is blank, after an answer', [user('hi'), assistant(hello), user('\n')]],
  ])('is given a sentence in the place of a message %s', async (_name, messages) => {
    fake.replies.push(sse(chatHello));
    expect(blocksOf(await answer('openai-compatible', requestOf(messages), { vision: false }))).toEqual([hello]);
    const sent = fake.seen[0]!.body['messages'] as { role: string; content: unknown }[];
    expect(sent.at(-1)).toEqual({ role: 'user', content: 'The message holds nothing that can be shown to you.' });
    expect(sent.filter(({ role }) => role === 'assistant')).toHaveLength(messages.length > 1 ? 1 : 0);
  });

  describe('anthropic', () => {
    it('streams signed thinking, text and parallel tool calls; cache traffic stays apart', async () => {
      fake.replies.push(
        sse(
          anthropicMessage(
            [
              {
                start: { type: 'thinking', thinking: '', signature: '' },
                deltas: [
                  { type: 'thinking_delta', thinking: 'Let me' },
                  { type: 'thinking_delta', thinking: ' see' },
                  { type: 'signature_delta', signature: 'sig-1' },
                ],
              },
              { start: { type: 'redacted_thinking', data: 'secret' }, deltas: [] },
              {
                start: { type: 'text', text: '' },
                deltas: [
                  { type: 'text_delta', text: 'Two ' },
                  { type: 'text_delta', text: 'calls' },
                ],
              },
              {
                start: { type: 'tool_use', id: 'tu_1', name: 'find', input: {} },
                deltas: [
                  { type: 'input_json_delta', partial_json: '{"q":' },
                  { type: 'input_json_delta', partial_json: '"x"}' },
                ],
              },
              { start: { type: 'tool_use', id: 'tu_2', name: 'list', input: {} }, deltas: [] },
            ],
            'tool_use',
          ),
        ),
      );
      const tools = ['find', 'list'].map((name) => ({ name, description: name, input_schema: { type: 'object' } }));
      const events = await answer('anthropic', requestOf([user('hi')], { tools, system: 'S', thinkingEffort: 'max' }), {
        id: 'claude-sonnet-4-5',
      });
      const blocks = blocksOf(events);
      expect(blocks).toEqual([
        { type: 'thinking', thinking: 'Let me see', signature: 'sig-1' },
        { type: 'thinking', thinking: '', signature: 'redacted:secret' },
        { type: 'text', text: 'Two calls' },
        { type: 'tool_use', id: 'tu_1', name: 'find', input: { q: 'x' } },
        { type: 'tool_use', id: 'tu_2', name: 'list', input: {} },
      ]);
      expect(events.at(-1)).toEqual({
        type: 'done',
        stop: 'tool_use',
        model: 'claude-sonnet-4-5',
        provider: 'anthropic',
        usage: {
          input_tokens: 11,
          output_tokens: 42,
          cache_read_input_tokens: 200,
          cache_creation_input_tokens: 30,
          reasoning_tokens: 0,
        },
      });
      const { path, headers, body } = await fake.request(0);
      expect(path).toBe('/v1/messages');
      expect(headers['x-api-key']).toBe('key-1');
      expect(body).toMatchObject({
        system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
        thinking: { type: 'enabled' },
      });

      fake.replies.push(
        sse(anthropicMessage([{ start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Done' }] }])),
      );
      const next = [
        user('hi'),
        assistant(...blocks),
        {
          ...results('a', 'b'),
          content: [
            { type: 'tool_result' as const, tool_use_id: 'tu_1', content: 'a', is_error: false },
            { type: 'tool_result' as const, tool_use_id: 'tu_2', content: 'b', is_error: true },
          ],
        },
      ];
      expect(
        await answer('anthropic', requestOf(next, { tools, thinkingEffort: 'low' }), { id: 'claude-sonnet-4-5' }),
      ).toContainEqual(expect.objectContaining({ type: 'done', stop: 'end' }));
      expect((await fake.request(1)).body['messages']).toMatchObject([
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Let me see', signature: 'sig-1' },
            { type: 'redacted_thinking', data: 'secret' },
            { type: 'text', text: 'Two calls' },
            { type: 'tool_use', id: 'tu_1' },
            { type: 'tool_use', id: 'tu_2' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'tu_1' },
            { type: 'tool_result', tool_use_id: 'tu_2', is_error: true, cache_control: { type: 'ephemeral' } },
          ],
        },
      ]);
    });

    it('tries again when the stream itself says overloaded before anything was shown, and not afterwards', async () => {
      const overloaded = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
      const hello = anthropicMessage([
        { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Hello' }] },
      ]);
      fake.replies.push(sse([overloaded]), sse(hello));
      expect(blocksOf(await answer('anthropic'))).toEqual([{ type: 'text', text: 'Hello' }]);
      fake.replies.push(sse([...hello.slice(0, 4), overloaded]));
      expect(await failure(ask('anthropic', requestOf([user('hi')])))).toMatchObject({ retryable: true });
      expect(fake.seen).toHaveLength(3);
    });

    it('never takes a stream that was cut for an answer', async () => {
      const hello = anthropicMessage([
        { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Hello' }] },
      ]);
      fake.replies.push(sse(hello.slice(0, 4)), sse(hello.slice(0, 4), 'cut'));
      expect(await failure(ask('anthropic', requestOf([user('hi')])))).toMatchObject({ retryable: true });
      expect(await failure(ask('anthropic', requestOf([user('hi')])))).toMatchObject({ retryable: true });
      expect(fake.seen).toHaveLength(2);
    });
  });

  describe.each(['openai-compatible', 'anthropic'] as const)('trouble with %s', (vendor) => {
    const hello =
      vendor === 'anthropic'
        ? sse(
            anthropicMessage([{ start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Hello' }] }]),
          )
        : sse(chatHello);

    it('waits as long as Retry-After says, and tries three times in all', async () => {
      fake.replies.push(failing(429, { 'retry-after': '2' }), failing(503), hello);
      expect(blocksOf(await answer(vendor))).toEqual([{ type: 'text', text: 'Hello' }]);
      expect(clock.slept).toEqual([2000, 1000]);
      fake.replies.push(failing(500), breaking, failing(429, { 'retry-after-ms': '7' }));
      expect(await failure(ask(vendor, requestOf([user('hi')])))).toMatchObject({
        retryable: true,
        retryAfterMs: 7,
        errorType: 'model_error',
      });
      expect(fake.seen).toHaveLength(6);
    });

    it('leaves a long Retry-After to the caller', async () => {
      fake.replies.push(failing(429, { 'retry-after': '90' }));
      expect(await failure(ask(vendor, requestOf([user('hi')])))).toMatchObject({
        retryable: true,
        retryAfterMs: 90_000,
      });
      expect(clock.slept).toEqual([]);
    });

    it.each([
      [400, 'model_error'],
      [401, 'model_error'],
      [404, 'model_unavailable'],
    ])('does not repeat a %s', async (status, errorType) => {
      fake.replies.push(failing(status));
      expect(await failure(ask(vendor, requestOf([user('hi')])))).toMatchObject({ retryable: false, errorType });
      expect(fake.seen).toHaveLength(1);
    });

    it.each<[string, string, Reply]>([
      ['a line', 'has no end', endless(200, Buffer.alloc(megabyte, 'a'), eventStream)],
      ['a packed line', 'has no end', packed(Buffer.alloc(32 * megabyte, ' '))],
      ['a refusal', 'answered 400', endless(400, Buffer.alloc(megabyte, 'a'), { 'content-type': 'application/json' })],
    ])('reads no more than there can be of %s without an end', async (_what, message, reply) => {
      fake.replies.push(reply);
      const failed = await failure(ask(vendor, requestOf([user('hi')])));
      expect(failed.message).toContain(message);
      expect(failed).toMatchObject({ retryable: false });
      await (
        await fake.request(0)
      ).closed;
    });

    it('closes the connection and throws the reason when the caller gives up', async () => {
      fake.replies.push(
        sse(
          vendor === 'anthropic'
            ? anthropicMessage([
                { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Hel' }] },
              ]).slice(0, 4)
            : chatHello.slice(0, 2),
          'hang',
        ),
      );
      const caller = new AbortController();
      const reason = new Error('cancelled');
      const stream = ask(vendor, requestOf([user('hi')]), {}, caller.signal);
      await stream.next();
      await stream.next();
      caller.abort(reason);
      await expect(stream.next()).rejects.toBe(reason);
      await (
        await fake.request(0)
      ).closed;
    });

    it('closes the connection when the reader leaves', async () => {
      fake.replies.push(
        sse(
          vendor === 'anthropic'
            ? anthropicMessage([
                { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: 'Hel' }] },
              ]).slice(0, 4)
            : chatHello.slice(0, 2),
          'hang',
        ),
      );
      for await (const event of ask(vendor, requestOf([user('hi')]))) if (event.type === 'text_delta') break;
      await (
        await fake.request(0)
      ).closed;
    });

    it('gives up a provider that never answers, by the caller and by its own patience', async () => {
      const caller = new AbortController();
      fake.replies.push(() => undefined, sse([], 'hang'), sse([], 'hang'), sse([], 'hang'));
      const first = collect(ask(vendor, requestOf([user('hi')]), {}, caller.signal)).then(
        () => null,
        (error: unknown) => error,
      );
      const { closed } = await fake.request(0);
      caller.abort(new Error('enough'));
      expect(await first).toEqual(new Error('enough'));
      await closed;
      const second = failure(ask(vendor, requestOf([user('hi')])));
      for (const number of [1, 2, 3]) {
        const request = await fake.request(number);
        clock.advance(600_000);
        await request.closed;
      }
      expect(await second).toMatchObject({ retryable: true, message: 'the provider was silent for 600000 ms' });
    });
  });

  it('speaks the Responses API where an OpenAI endpoint has no other, and remembers it', async () => {
    const item = { type: 'message', id: 'm1', role: 'assistant', status: 'completed', content: [] };
    const call = {
      type: 'function_call',
      id: 'f1',
      call_id: 'call_1',
      name: 'find',
      arguments: '',
      status: 'in_progress',
    };
    const answered = sse([
      { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-5.5' } },
      { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'rs1', summary: [] } },
      { type: 'response.reasoning_summary_part.added', item_id: 'rs1', summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', item_id: 'rs1', summary_index: 0, delta: 'Thinking' },
      { type: 'response.output_item.done', output_index: 0, item: { type: 'reasoning', id: 'rs1', summary: [] } },
      { type: 'response.output_item.added', output_index: 1, item },
      { type: 'response.output_text.delta', item_id: 'm1', output_index: 1, content_index: 0, delta: 'Hello' },
      { type: 'response.output_item.done', output_index: 1, item },
      { type: 'response.output_item.added', output_index: 2, item: call },
      { type: 'response.function_call_arguments.delta', item_id: 'f1', output_index: 2, delta: '{"q":1}' },
      {
        type: 'response.output_item.done',
        output_index: 2,
        item: { ...call, arguments: '{"q":1}', status: 'completed' },
      },
      {
        type: 'response.completed',
        response: {
          incomplete_details: null,
          usage: {
            input_tokens: 50,
            input_tokens_details: { cached_tokens: 40 },
            output_tokens: 9,
            output_tokens_details: { reasoning_tokens: 4 },
          },
        },
      },
    ]);
    fake.replies.push(failing(404), answered, answered);
    const provider = open('openai');
    const option = optionOf({ id: 'gpt-5.5', provider: 'openai' });
    const request = requestOf([user('hi')], { thinkingEffort: 'xhigh' });
    for (let time = 0; time < 2; time += 1) {
      const events = await collect(provider.stream(option, request, never));
      expect(blocksOf(events)).toEqual([
        { type: 'thinking', thinking: 'Thinking' },
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 'call_1', name: 'find', input: { q: 1 } },
      ]);
      expect(events.at(-1)).toMatchObject({
        stop: 'tool_use',
        usage: { input_tokens: 10, output_tokens: 9, cache_read_input_tokens: 40, reasoning_tokens: 4 },
      });
    }
    expect(fake.seen.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/responses']);
    expect(fake.seen[2]?.body).toMatchObject({ store: false, reasoning: { effort: 'xhigh', summary: 'auto' } });
    fake.replies.push(
      sse([
        { type: 'response.created', response: { id: 'r1', created_at: 1, model: 'gpt-5.5' } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_text.delta', item_id: 'm1', output_index: 0, content_index: 0, delta: 'Hel' },
      ]),
    );
    expect(await failure(provider.stream(option, request, never))).toMatchObject({
      errorType: 'model_error',
      retryable: true,
    });
    fake.replies.push(failing(404), failing(404));
    expect(await failure(provider.stream(option, request, never))).toMatchObject({
      errorType: 'model_unavailable',
      retryable: false,
    });
  });

  it('does not start when the caller has already given up', async () => {
    await expect(
      collect(ask('openai-compatible', requestOf([user('hi')]), {}, AbortSignal.abort(new Error('early')))),
    ).rejects.toThrow('early');
    expect(fake.seen).toEqual([]);
  });
});
