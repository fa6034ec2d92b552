import type { JsonObject } from '../json.js';
import { quickest } from '../testing/eventually.js';
import {
  ModelFailure,
  type ModelBlock,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from './model-provider.js';

const deadlineMs = 180_000;
const abortMs = 1000;

/** What the model is to answer. */
export interface WantedAnswer {
  text: string;
  call?: { name: string; input: JsonObject };
  /** Tokens that were read from no cache, from the cache, and that were written. */
  usage: { input: number; cached: number; output: number };
}

export interface OpenedModelProvider {
  provider: ModelProvider;
  /** Gives a request that the provider answers so. */
  answering(wanted: WantedAnswer): ModelRequest;
  /** Gives a request that the provider begins to answer with this text; then it is silent. */
  hanging(text: string): ModelRequest;
  /** Gives a request that the provider fails. */
  failing(): ModelRequest;
  /** Resolves when the provider's connection of the newest call is closed; absent where there is none. */
  disconnected?(): Promise<void>;
  close(): Promise<void>;
}

/** The ModelProvider port's suite. Takes how an adapter is opened in front of a provider that answers as told. */
export function modelProviderContract(name: string, open: () => Promise<OpenedModelProvider>): void {
  describe(`ModelProvider: ${name}`, () => {
    let opened: OpenedModelProvider;
    beforeAll(async () => {
      opened = await open();
    }, deadlineMs);
    afterAll(async () => {
      await opened.close();
    }, deadlineMs);
    const never = new AbortController().signal;
    const stream = (request: ModelRequest, signal = never) =>
      opened.provider.stream(request, signal)[Symbol.asyncIterator]();
    const plain: WantedAnswer = { text: 'Hello you', usage: { input: 20, cached: 100, output: 7 } };

    test(
      'gives blocks that open, grow and close one after another, then one `done`',
      async () => {
        const call = { name: 'find', input: { q: ['x', { deep: null }] } };
        const request = opened.answering({ ...plain, call });
        const events = await read(stream(request));
        const blocks = blocksOf(events);
        expect(blocks).toEqual([
          { type: 'text', text: plain.text },
          { type: 'tool_use', id: expect.stringMatching(/./) as string, ...call },
        ]);
        expect(events.at(-1)).toMatchObject({ type: 'done', stop: 'tool_use' });
      },
      deadlineMs,
    );

    test(
      'says what it cost, without the cache in `input_tokens`, and which model answered',
      async () => {
        const request = opened.answering(plain);
        const events = await read(stream(request));
        expect(blocksOf(events)).toEqual([{ type: 'text', text: plain.text }]);
        expect(events.at(-1)).toEqual({
          type: 'done',
          stop: 'end',
          model: request.model,
          provider: opened.provider.find(request.model)?.provider,
          usage: {
            input_tokens: 20,
            cache_read_input_tokens: 100,
            output_tokens: 7,
            cache_creation_input_tokens: 0,
            reasoning_tokens: 0,
          },
        });
      },
      deadlineMs,
    );

    test(
      "an abort ends a silent answer within a second, with the signal's reason, and closes the connection",
      async () => {
        const took = await quickest(abortMs, async () => {
          const [abort, reason] = [new AbortController(), new Error('enough')];
          const events = stream(opened.hanging('Hel'), abort.signal);
          const seen: ModelEvent[] = [];
          while (seen.at(-1)?.type !== 'text_delta') seen.push(await nextOf(events));
          const rest = read(events).then(
            () => null,
            (error: unknown) => error,
          );
          const started = performance.now();
          abort.abort(reason);
          expect(await rest).toBe(reason);
          await opened.disconnected?.();
          return performance.now() - started;
        });
        expect(took).toBeLessThan(abortMs);
      },
      deadlineMs,
    );

    test(
      "an abort between two events, or before the first, throws the signal's reason",
      async () => {
        const [abort, reason] = [new AbortController(), new Error('enough')];
        const events = stream(opened.hanging('Hel'), abort.signal);
        await nextOf(events);
        abort.abort(reason);
        await expect(read(events)).rejects.toBe(reason);
        await expect(read(stream(opened.hanging('Hel'), AbortSignal.abort(reason)))).rejects.toBe(reason);
      },
      deadlineMs,
    );

    test(
      'a provider that fails is a ModelFailure',
      async () => {
        const error = await read(stream(opened.failing())).then(
          () => null,
          (failure: unknown) => failure,
        );
        expect(error).toBeInstanceOf(ModelFailure);
        expect(error).toMatchObject({ errorType: 'model_error' });
      },
      deadlineMs,
    );

    test(
      'a model that the catalog lacks is unavailable',
      async () => {
        const error = await read(stream({ ...opened.failing(), model: 'gone' })).then(
          () => null,
          (failure: unknown) => failure,
        );
        expect(error).toBeInstanceOf(ModelFailure);
        expect(error).toMatchObject({ errorType: 'model_unavailable', retryable: false });
      },
      deadlineMs,
    );

    test('finds every model of the catalog by its id, with and without the provider, and the default by no name', () => {
      const { catalog } = opened.provider;
      const models = catalog.providers.flatMap((group) => group.models);
      expect(models).not.toEqual([]);
      for (const model of models)
        for (const wanted of [model.id, `${model.provider}/${model.id}`])
          expect(opened.provider.find(wanted)).toEqual(model);
      for (const wanted of [undefined, '']) expect(opened.provider.find(wanted)?.id).toBe(catalog.defaultModel);
      for (const wanted of ['gone', `gone/${catalog.defaultModel}`]) expect(opened.provider.find(wanted)).toBeNull();
    });
  });
}

async function read(events: AsyncIterator<ModelEvent>): Promise<ModelEvent[]> {
  const seen: ModelEvent[] = [];
  for (let next = await events.next(); next.done !== true; next = await events.next()) seen.push(next.value);
  return seen;
}

async function nextOf(events: AsyncIterator<ModelEvent>): Promise<ModelEvent> {
  const next = await events.next();
  if (next.done === true) throw new Error('the answer is over');
  return next.value;
}

/** The blocks of a whole answer, after a check of the order of its events. */
function blocksOf(events: readonly ModelEvent[]): ModelBlock[] {
  expect(events.map(({ type }) => type).indexOf('done')).toBe(events.length - 1);
  const blocks: ModelBlock[] = [];
  let open: Extract<ModelEvent, { type: 'block_start' }>['block'] | null = null;
  let grown = '';
  for (const event of events) {
    if (event.type === 'done') continue;
    expect(event.index).toBe(blocks.length);
    if (event.type === 'block_start') {
      expect(open).toBeNull();
      [open, grown] = [event.block, ''];
    } else if (event.type === 'block_stop') {
      expect(event.block).toMatchObject({ ...open });
      if (event.block.type === 'text') expect(event.block.text).toBe(grown);
      if (event.block.type === 'thinking') expect(event.block.thinking).toBe(grown);
      blocks.push(event.block);
      open = null;
    } else {
      expect(`${open?.type}_delta`).toBe(event.type);
      grown += event.type === 'text_delta' ? event.text : event.thinking;
    }
  }
  expect(open).toBeNull();
  return blocks;
}
