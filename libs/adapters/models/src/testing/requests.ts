import type { ModelBlock, ModelEvent, ModelMessage, ModelOption, ModelRequest } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';

export const user = (text: string, rest: Partial<ModelMessage> = {}): ModelMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
  tokens: 1,
  ...rest,
});
export const assistant = (...content: ModelBlock[]): ModelMessage => ({ role: 'assistant', content, tokens: 1 });
export const results = (...texts: string[]): ModelMessage => ({
  role: 'user',
  content: texts.map((content, index) => ({ type: 'tool_result', tool_use_id: `t${index}`, content, is_error: false })),
  tokens: 1,
});

export function requestOf(messages: ModelMessage[], rest: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'fake-1',
    system: '',
    messages,
    contextTokens: 77,
    tools: [],
    thinkingEffort: null,
    callIndex: 0,
    turnStart: 0,
    ...rest,
  };
}

export function optionOf(rest: Partial<ModelOption> = {}): ModelOption {
  return {
    id: 'fake-1',
    provider: 'openai-compatible',
    label: 'Fake',
    contextWindowTokens: 200_000,
    vision: true,
    documents: true,
    plans: null,
    ...rest,
  };
}

export async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** The blocks of an answer, after a check that blocks open, grow and close one after another. */
export function blocksOf(events: readonly ModelEvent[]): ModelBlock[] {
  let open = -1;
  let grown = '';
  const blocks: ModelBlock[] = [];
  for (const event of events) {
    if (event.type === 'done') {
      expect(open).toBe(-1);
      continue;
    }
    expect(event.index).toBe(blocks.length);
    if (event.type === 'block_start') {
      expect(open).toBe(-1);
      open = event.index;
      grown = '';
      continue;
    }
    expect(open).toBe(event.index);
    if (event.type === 'text_delta') grown += event.text;
    if (event.type === 'thinking_delta') grown += event.thinking;
    if (event.type === 'block_stop') {
      if (event.block.type === 'text') expect(event.block.text).toBe(grown);
      if (event.block.type === 'thinking') expect(event.block.thinking).toBe(grown);
      blocks.push(event.block);
      open = -1;
    }
  }
  return blocks;
}

/** Every sleep is over at once; what was slept is kept. Timers stand still until the clock is advanced. */
export class ImpatientClock extends ManualClock {
  readonly slept: number[] = [];
  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.slept.push(ms);
  }
}
