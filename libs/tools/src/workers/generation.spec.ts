import type { JsonObject, ModelEvent, ModelRequest } from '@aos/kernel';
import { linearGrowthMax, timeGrowth } from '@aos/kernel/testing';
import { GrowingAnswer, generationRequest, readAnswer } from './generation.decide.js';

const none = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  reasoning_tokens: 0,
};
const request: ModelRequest = {
  model: 'm',
  system: 's',
  contextTokens: 1,
  thinkingEffort: 'high',
  callIndex: 2,
  turnStart: 0,
  tools: [{ name: 't', description: 'd', input_schema: { type: 'object' } }],
  messages: [
    {
      role: 'user',
      tokens: 1,
      service: true,
      content: [
        { type: 'text', text: 'x' },
        { type: 'image', media_type: 'image/png', bytes: Buffer.from('abc') },
      ],
    },
  ],
};

describe('what a worker is asked', () => {
  it('is what any model is given, bytes in base 64', () => {
    expect(generationRequest({ provider: 'p', model: 'm' }, request)).toEqual({
      provider: 'p',
      model: 'm',
      system: 's',
      thinking_effort: 'high',
      tools: [{ name: 't', description: 'd', input_schema: { type: 'object' } }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YWJj' } },
          ],
        },
      ],
    });
    expect(generationRequest({ provider: 'p', model: 'm' }, { ...request, thinkingEffort: null })).not.toHaveProperty(
      'thinking_effort',
    );
  });
});

describe('what a worker answers', () => {
  it('is a text, or blocks; counters that make no sense count nothing', () => {
    expect(readAnswer({ content: 'hi' })).toEqual({
      content: [{ type: 'text', text: 'hi' }],
      stop: 'end',
      usage: none,
      model: null,
    });
    expect(
      readAnswer({
        content: [
          { type: 'text', text: 'a' },
          { type: 'tool_use', id: '1', name: 't' },
        ],
        usage: { input_tokens: 3, output_tokens: -1, reasoning_tokens: 'x' },
        model: 'own',
      }),
    ).toEqual({
      content: [
        { type: 'text', text: 'a' },
        { type: 'tool_use', id: '1', name: 't', input: {} },
      ],
      stop: 'tool_use',
      usage: { ...none, input_tokens: 3 },
      model: 'own',
    });
    expect(readAnswer({ content: '', stop_reason: 'length' })).toMatchObject({ stop: 'length' });
  });

  it.each([
    [{}],
    [{ content: 1 }],
    [{ content: [1] }],
    [{ content: [{ type: 'image' }] }],
    [{ content: [{ type: 'tool_use', id: '', name: 't' }] }],
    [{ content: [{ type: 'tool_use', id: '1', name: 't', input: [] }] }],
    [{ content: [{ type: 'tool_use', id: '1'.repeat(257), name: 't' }] }],
    [{ content: [{ type: 'tool_use', id: '1', name: 't'.repeat(257) }] }],
    [
      {
        content: [
          { type: 'tool_use', id: '1', name: 't' },
          { type: 'tool_use', id: '1', name: 't' },
        ],
      },
    ],
  ])('%j cannot be read', (result) => {
    expect(readAnswer(result)).toHaveProperty('fault');
  });

  it('is read in time of its calls, up to as many as a frame holds', async () => {
    const growth = await timeGrowth(4_000, (size) => {
      const content = Array.from({ length: size }, (_none, index) => ({ type: 'tool_use', id: `${index}`, name: 't' }));
      return () => expect(readAnswer({ content })).toMatchObject({ stop: 'tool_use' });
    });
    expect(growth).toBeLessThan(linearGrowthMax);
  });
});

describe('an answer that grows', () => {
  const brief = (events: readonly ModelEvent[] | null) =>
    events?.map((event) => {
      switch (event.type) {
        case 'block_start':
          return `+${event.index} ${event.block.type}`;
        case 'text_delta':
          return `${event.index} "${event.text}"`;
        case 'thinking_delta':
          return `${event.index} (${event.thinking})`;
        case 'block_stop':
          return `-${event.index} ${event.block.type}`;
        case 'done':
          return 'done';
      }
    }) ?? null;
  const content = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'Hi you' },
    { type: 'tool_use', id: '1', name: 't', input: {} },
  ] as const;

  it('opens and closes its blocks in order, and is made whole at the end', () => {
    const answer = new GrowingAnswer();
    expect(brief(answer.grow({ type: 'thinking', thinking: 'h' }))).toEqual(['+0 thinking', '0 (h)']);
    expect(brief(answer.grow({ type: 'thinking', thinking: 'm' }))).toEqual(['0 (m)']);
    expect(brief(answer.grow({ text: 'Hi' }))).toEqual(['-0 thinking', '+1 text', '1 "Hi"']);
    expect(brief(answer.grow({ tool: 'x' }))).toEqual([]);
    expect(brief(answer.finish(content))).toEqual(['1 " you"', '-1 text', '+2 tool_use', '-2 tool_use']);
  });

  it('is shown at once when no piece came, and only its rest when some were lost', () => {
    expect(brief(new GrowingAnswer().finish(content))).toEqual([
      '+0 thinking',
      '0 (hm)',
      '-0 thinking',
      '+1 text',
      '1 "Hi you"',
      '-1 text',
      '+2 tool_use',
      '-2 tool_use',
    ]);
    const answer = new GrowingAnswer();
    answer.grow({ type: 'thinking', thinking: 'h' });
    expect(brief(answer.finish(content))?.slice(0, 2)).toEqual(['0 (m)', '-0 thinking']);
  });

  it('is not made whole when something else was shown', () => {
    for (const pieces of [
      [{ text: 'x' }],
      [{ type: 'thinking', thinking: 'hmm' }],
      [{ type: 'thinking', thinking: 'h' }, { text: 'Hi' }],
      [{ type: 'thinking', thinking: 'hm' }, { text: 'Ho' }],
    ] as JsonObject[][]) {
      const answer = new GrowingAnswer();
      for (const piece of pieces) answer.grow(piece);
      expect(answer.finish(content)).toBeNull();
    }
  });
});
