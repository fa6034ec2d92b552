import {
  ModelFailure,
  ModelProvider,
  type ModelBlock,
  type ModelCatalog,
  type ModelEvent,
  type ModelMessage,
  type ModelOption,
  type ModelRequest,
  type Clock,
} from '@aos/kernel';
import type { Shared } from './shared.js';
import type { Place } from './scheduler.js';

const option: ModelOption = {
  id: 'sim',
  provider: 'sim',
  label: 'sim',
  contextWindowTokens: 2000,
  vision: false,
  documents: false,
  plans: null,
};

/**
 * Plays the plan that the turn's input names: `plan=echo+slow,park` is two answers with tool calls and then a text.
 * Checks that what it is given is valid for any provider.
 */
export class PlannedModel extends ModelProvider {
  override readonly catalog: ModelCatalog = {
    defaultModel: 'sim',
    providers: [{ provider: 'sim', displayName: 'sim', source: 'sim', models: [option] }],
  };

  constructor(
    private readonly shared: Shared,
    private readonly place: Place,
    private readonly clock: Clock,
  ) {
    super();
  }

  override find(model: string | undefined): ModelOption | null {
    return model === undefined || model === '' || model === 'sim' ? option : null;
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    checkDialogue(request.messages, this.shared);
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    signal.throwIfAborted();
    if (this.shared.random.chance(this.shared.faults.modelFails)) throw new ModelFailure('overloaded', true, 200);
    if (request.purpose === 'summary') {
      if (this.shared.random.chance(this.shared.faults.summarySlow)) await this.clock.sleep(40_000, signal);
      yield* this.answer([{ type: 'text', text: `Summary of ${request.messages.length} messages.` }], request);
      return;
    }
    const input = textOf(request.messages[request.turnStart]);
    const think = /think=(\d+)/.exec(input)?.[1];
    if (think && request.callIndex === 0) await this.clock.sleep(Number(think), signal);
    const plan = /plan=([a-z+,]+)/.exec(input)?.[1]?.split(',') ?? [];
    const step = plan[request.callIndex];
    if (step === 'fail') throw new ModelFailure('no', false);
    const blocks: ModelBlock[] = step
      ? step.split('+').map((name) => ({ type: 'tool_use', id: `toolu_${this.shared.ids.ulid()}`, name, input: {} }))
      : [{ type: 'text', text: `answer ${request.callIndex}` }];
    yield* this.answer(blocks, request);
  }

  private async *answer(blocks: ModelBlock[], request: ModelRequest): AsyncIterable<ModelEvent> {
    for (const [index, block] of blocks.entries()) {
      if (block.type === 'tool_use')
        yield { type: 'block_start', index, block: { type: 'tool_use', id: block.id, name: block.name } };
      else yield { type: 'block_start', index, block: { type: 'text' } };
      if (block.type === 'text') yield { type: 'text_delta', index, text: block.text };
      yield { type: 'block_stop', index, block };
    }
    await this.shared.scheduler.turn(this.place);
    const usage = {
      input_tokens: request.contextTokens,
      output_tokens: 1 + request.callIndex,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      reasoning_tokens: 0,
    };
    yield {
      type: 'done',
      stop: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end',
      usage,
      model: 'sim',
      provider: 'sim',
    };
  }
}

function textOf(message: ModelMessage | undefined): string {
  return message?.content.map((block) => (block.type === 'text' ? block.text : '')).join(' ') ?? '';
}

/** Every tool call is answered by the next message, once, and no result stands alone. */
function checkDialogue(messages: readonly ModelMessage[], shared: Shared): void {
  let asked: string[] = [];
  for (const { content } of messages) {
    const results = content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    if (asked.join() !== results.join())
      shared.fault(`the model was given calls [${asked.join()}] answered by [${results.join()}]`);
    asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  }
  if (asked.length > 0) shared.fault(`the model was given open calls [${asked.join()}]`);
}
