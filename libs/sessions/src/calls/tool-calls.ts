import { uuidFrom, type JsonObject } from '@aos/kernel';
import { Decisions, failpoint } from '@aos/platform';
import type { LivePublisher } from '../live/live-publisher.js';
import { openCalls } from '../session/open-turns.state.js';
import type { Block, ToolCall } from '../session/session.events.js';
import type { ClaimCommit } from '../turn/claim-commit.js';
import { OutputContract, submitOutputTool } from '../turn/output-contract.js';
import { sessionDecider } from '../session.decider.js';
import { CallJobs, showResult, shownCall } from './call-jobs.js';
import { Toolbox, type ToolContext } from './toolbox.js';

/** The run of a turn, as its calls see it. */
export interface CallingRun {
  readonly commit: ClaimCommit;
  readonly live: LivePublisher;
  /** Aborts when the run must end. */
  readonly signal: AbortSignal;
  /** Active time of the turn so far, milliseconds. */
  readonly activeMs: number;
}

/** The calls of a turn: named, carried out, and recorded as their outcomes come. */
export class ToolCalls {
  constructor(
    private readonly toolbox: Toolbox,
    private readonly outputs: OutputContract,
    private readonly jobs: CallJobs,
    private readonly decisions: Decisions,
  ) {}

  /**
   * Names each tool call's delivery: the same id on every attempt and after every crash, because it rests on the row
   * and the call alone.
   */
  async resolve(context: ToolContext, content: readonly Block[], rowId: string): Promise<ToolCall[]> {
    const calls: ToolCall[] = [];
    for (const [index, block] of content.entries()) {
      if (block.type !== 'tool_use') continue;
      const call: ToolCall = {
        content_index: index,
        tool_call_id: String(block.id),
        name: String(block.name),
        input: block.input as JsonObject,
        delivery_id: `dlv_${uuidFrom(rowId, String(block.id)).replaceAll('-', '')}`,
      };
      const resolved = await this.toolbox.resolve(context, call.name, call.input);
      if (resolved) call.resolved_action = resolved;
      calls.push(call);
    }
    return calls;
  }

  /**
   * Carries out the calls that have no outcome, at once, and records each as it comes. The turn parks when nothing else
   * of it is under way.
   */
  async carryOut(run: CallingRun, context: ToolContext): Promise<void> {
    const { orgId, sessionId, turn: open } = context;
    const calls = await this.decisions.whole(orgId, openCalls(open));
    const left = await Promise.all(
      calls.filter(({ job }) => !job).map(({ call }) => this.dispatched(run, context, call)),
    );
    const waits = left.flatMap((found) => (found && 'wait' in found ? [found.wait] : []));
    const jobs = left.flatMap((found) =>
      found && 'job' in found ? [{ ...found.job, toolCallId: found.call.tool_call_id }] : [],
    );
    if (waits.length === 0 && jobs.length === 0 && !calls.some(({ job }) => job)) return;
    const starting = calls.flatMap(({ call }) =>
      jobs.some(({ toolCallId }) => toolCallId === call.tool_call_id) ? [call] : [],
    );
    await this.jobs.begin({ orgId, sessionId, turnId: open.turn.id }, starting, () =>
      run.commit(sessionDecider.parkTurn, { waits, jobs, activeMs: run.activeMs }),
    );
  }

  /** Null when the call has its outcome. */
  private async dispatched(run: CallingRun, context: ToolContext, call: ToolCall) {
    const shown = shownCall(context, call);
    run.live.signal({
      type: 'tool_call',
      ...shown,
      input: call.input,
      ...(call.resolved_action ? { resolved_action: call.resolved_action } : {}),
    });
    const schema = call.name === submitOutputTool ? context.turn.input.output_schema : undefined;
    failpoint('before-tool-dispatch');
    const progress = run.live.progressOf(shown, call);
    const dispatched = schema
      ? { outcome: await this.outputs.submit(context.orgId, schema, call.input) }
      : await this.toolbox.dispatch(context, call, progress.report, run.signal).finally(() => {
          progress.end();
        });
    failpoint('after-tool-dispatch');
    run.signal.throwIfAborted();
    if (!('outcome' in dispatched)) return { ...dispatched, call };
    const outcome = { tool_call_id: call.tool_call_id, ...dispatched.outcome };
    await run.commit(sessionDecider.recordOutcome, { outcome });
    showResult(run.live, context, call, outcome);
    return null;
  }
}
