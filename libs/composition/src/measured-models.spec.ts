import {
  ModelFailure,
  ModelProvider,
  type ModelCatalog,
  type ModelEvent,
  type ModelOption,
  type ModelRequest,
} from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { Metrics } from '@aos/platform';
import { MeasuredModelProvider } from './measured-models.js';

const clock = new ManualClock();
const done: ModelEvent = {
  type: 'done',
  stop: 'end',
  model: 'm',
  provider: 'p',
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    reasoning_tokens: 0,
  },
};

/** Answers two seconds after it was asked, or fails then; providers are named by the model. */
class SlowModels extends ModelProvider {
  override readonly catalog: ModelCatalog = { defaultModel: null, providers: [] };

  override find(model: string | undefined): ModelOption | null {
    return model === undefined
      ? null
      : {
          id: model,
          provider: `of-${model}`,
          label: model,
          contextWindowTokens: 1,
          vision: false,
          documents: false,
          plans: null,
        };
  }

  override async *stream({ system }: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    clock.advance(2_000);
    await Promise.resolve();
    signal.throwIfAborted();
    if (system === 'fail') throw new ModelFailure('broken', false);
    yield done;
  }
}

const request = (model: string, system = ''): ModelRequest => ({
  model,
  system,
  messages: [],
  contextTokens: 0,
  tools: [],
  thinkingEffort: null,
  callIndex: 0,
  turnStart: 0,
});

async function heard(
  models: ModelProvider,
  asked: ModelRequest,
  signal = new AbortController().signal,
): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of models.stream(asked, signal)) types.push(type);
  return types;
}

it('measures calls by provider and outcome, and passes them on as they are', async () => {
  const metrics = new Metrics();
  const models = new MeasuredModelProvider(new SlowModels(), metrics, clock);
  expect(await heard(models, request('a'))).toEqual(['done']);
  await expect(heard(models, request('a', 'fail'))).rejects.toThrow('broken');
  await expect(heard(models, request('a'), AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  const text = await metrics.text();
  for (const outcome of ['answered', 'failed', 'abandoned']) {
    expect(text).toContain(`model_call_duration_seconds_sum{provider="of-a",outcome="${outcome}"} 2`);
    expect(text).toContain(`model_call_duration_seconds_count{provider="of-a",outcome="${outcome}"} 1`);
  }
});

it('tells at most twenty providers apart', async () => {
  const metrics = new Metrics();
  const models = new MeasuredModelProvider(new SlowModels(), metrics, clock);
  for (let index = 0; index < 25; index += 1) await heard(models, request(`m${index}`));
  expect(await metrics.text()).toContain('model_call_duration_seconds_count{provider="other",outcome="answered"} 5');
});
