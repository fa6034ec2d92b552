import { Injectable } from '@nestjs/common';
import { Clock, ModelFailure, takeEvents, untilAborted, type ModelBlock, type ModelRequest } from '@aos/kernel';
import { failpoint } from '@aos/platform';
import { ToolCalls } from '../calls/tool-calls.js';
import type { ToolContext } from '../calls/toolbox.js';
import { Compactor } from '../compaction/compactor.js';
import { AnswerBound } from '../model/answer-bound.js';
import { ModelInput } from '../model/model-input.js';
import { ModelRoutes, missingModel, type RoutedModel } from '../model/model-routes.js';
import type { Block, ToolCall, Usage } from '../session/session.events.js';
import { turnRowId } from '../session/session.ids.js';
import type { SessionState } from '../session/session.state.js';
import { OutputContract } from '../turn/output-contract.js';
import { sessionDecider } from '../session.decider.js';
import { RunningAgents } from './running-agents.js';
import { TurnFailure } from './turn-failure.js';
import type { TurnRun } from './turn-run.js';

const modelTriesMax = 3;
const retryBaseMs = 500;
const retryMaxMs = 20_000;
/** A call that took at least this long, its input too, may be that of an agent which is gone since: see `make`. */
const agentLookMs = 1_000;

interface Answer {
  content: Block[];
  usage: Usage;
  model: string;
  provider: string;
}

/** One model call of a turn: its input, a compaction pass that is due before it, the answer as it comes, its record. */
@Injectable()
export class ModelCall {
  constructor(
    private readonly models: ModelRoutes,
    private readonly input: ModelInput,
    private readonly compactor: Compactor,
    private readonly tools: ToolCalls,
    private readonly outputs: OutputContract,
    private readonly agents: RunningAgents,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes the session's state at the revision, and an agent that was looked at just now. Runs a pass in place of the
   * call when one is due.
   */
  async make(run: TurnRun, context: ToolContext, state: SessionState, revision: number): Promise<void> {
    const { turn: open } = context;
    const begunAt = this.clock.monotonic();
    const model = await this.model(context, state);
    const gathered = await this.input.gather(context, state, revision);
    if (await this.compacted(run, context, state, gathered.contextTokens, model)) return;
    const request = await this.input.request(context, state, model.option, gathered, run.signal);
    const rowId = turnRowId(context.sessionId, open.ordinal, open.nextIndex);
    failpoint('before-model-call');
    const answer = await this.answer(run, model, request, rowId, open.nextIndex);
    failpoint('after-model-call');
    await this.record(run, context, answer, rowId, begunAt);
    run.finished.length = 0;
    run.live.endRow();
  }

  private async model({ orgId, sessionId, turn, agent }: ToolContext, state: SessionState): Promise<RoutedModel> {
    const override = state.opening?.model_override;
    const model = this.models.of(agent, override, { orgId, sessionId, turnId: turn.turn.id, agentId: agent.id });
    if (!model) throw new TurnFailure('model_unavailable', missingModel(agent, override));
    if (!(await this.models.isAllowed(orgId, model)))
      throw new TurnFailure(
        'model_unavailable',
        `the organization's billing plan does not allow the model ${model.option.id}`,
      );
    return model;
  }

  /** Whether a pass was due; it is over then. A run that must end does not wait for it. */
  private async compacted(
    run: TurnRun,
    { orgId, sessionId, turn: open }: ToolContext,
    state: SessionState,
    contextTokens: number,
    { option }: RoutedModel,
  ): Promise<boolean> {
    const excess =
      run.passTriedAt === open.calls
        ? null
        : this.compactor.dueInTurn(state, open, contextTokens, option.contextWindowTokens);
    if (!excess) return false;
    run.passTriedAt = open.calls;
    const { ended } = await this.compactor.start({
      orgId,
      sessionId,
      trigger: 'auto',
      claim: { turnId: open.turn.id, epoch: run.epoch },
      excess,
      act: run.claim.actor,
    });
    if (ended) await untilAborted(ended, run.signal);
    return true;
  }

  /** A last answer would complete the turn: not when its agent is gone or disabled since (rules N12, R16, A32). */
  private async record(
    run: TurnRun,
    context: ToolContext,
    answer: Answer,
    rowId: string,
    begunAt: number,
  ): Promise<void> {
    const { turn: open, orgId, agent } = context;
    const calls = await this.tools.resolve(context, answer.content, rowId);
    if (calls.length === 0 && this.clock.monotonic() - begunAt >= agentLookMs) await this.agents.agent(orgId, agent.id);
    const content = withActions(answer.content, calls);
    const schema = open.input.output_schema;
    const textOutput =
      schema && calls.length === 0 && !open.output ? await this.outputs.fromText(orgId, schema, content) : null;
    await run.commit(sessionDecider.recordAnswer, { ...answer, content, calls, textOutput, activeMs: run.activeMs });
  }

  /** One model call; tried again while nothing of it can be kept and another try may help. */
  private async answer(
    run: TurnRun,
    model: RoutedModel,
    request: ModelRequest,
    rowId: string,
    index: number,
  ): Promise<Answer> {
    const { finished } = run;
    for (let attempt = 1; ; attempt += 1) {
      finished.length = 0;
      try {
        run.live.startRow(rowId, index, request.model);
        return await streamed(run, model, request);
      } catch (error) {
        run.signal.throwIfAborted();
        if (!(error instanceof ModelFailure)) throw error;
        run.live.discardRow();
        if (!error.retryable || attempt >= modelTriesMax) throw new TurnFailure(error.errorType, error.message);
        finished.length = 0;
        const wait = error.retryAfterMs ?? Math.min(retryMaxMs, retryBaseMs * 2 ** attempt);
        await this.clock.sleep(Math.min(wait, retryMaxMs), run.signal);
        await run.lookAgain();
      }
    }
  }
}

/** Shows the answer as it comes, and gathers its blocks in `run.finished`. */
async function streamed(run: TurnRun, model: RoutedModel, request: ModelRequest): Promise<Answer> {
  const { finished } = run;
  const bound = new AnswerBound();
  const answer = await takeEvents<Answer>(model.stream(request, run.signal), (event) => {
    run.signal.throwIfAborted();
    if (event.type === 'done') {
      if (event.stop === 'length' && finished.length === 0)
        throw new ModelFailure('the answer was cut before its first block ended', false);
      return { content: [...finished], usage: callUsage(event.usage), model: event.model, provider: event.provider };
    }
    bound.take(event);
    run.live.show(event);
    if (event.type === 'block_stop') finished[event.index] = storedBlock(event.block);
    return null;
  });
  if (!answer) throw new ModelFailure('the model ended without finishing', true);
  return answer;
}

/** The answer's blocks, those of calls with the catalog action that each one ends up at. */
function withActions(content: readonly Block[], calls: readonly ToolCall[]): Block[] {
  const byId = new Map(calls.map((call) => [call.tool_call_id, call]));
  return content.map((block) => {
    const call = block.type === 'tool_use' ? byId.get(String(block.id)) : undefined;
    return call?.resolved_action ? { ...block, resolved_action: call.resolved_action } : block;
  });
}

function callUsage(usage: Required<Omit<Usage, 'calls'>>): Usage {
  const counted: Usage = { calls: 1 };
  for (const counter of [
    'input_tokens',
    'output_tokens',
    'cache_read_input_tokens',
    'cache_creation_input_tokens',
    'reasoning_tokens',
  ] as const) {
    if (usage[counter] > 0) counted[counter] = usage[counter];
  }
  return counted;
}

function storedBlock(block: ModelBlock): Block {
  if (block.type === 'image' || block.type === 'document') throw new ModelFailure('a model answered with media', false);
  return block as unknown as Block;
}
