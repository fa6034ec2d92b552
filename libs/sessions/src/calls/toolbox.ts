import type { JsonObject, ModelTool } from '@aos/kernel';
import type { AgentRecord } from '@aos/definitions/published';
import type { OpenTurn } from '../session/session.state.js';
import type { ToolCall, ToolOutcome, TurnWait } from '../session/session.events.js';
import type { JobPlan } from '../turn/jobs.decide.js';

export interface ToolContext {
  orgId: string;
  sessionId: string;
  turn: OpenTurn;
  agent: AgentRecord;
}

export type CallResult = Omit<ToolOutcome, 'tool_call_id'>;

/**
 * How a call goes on: it has an outcome now, or the turn parks until the outcome comes. With `job` nothing was sent
 * yet: `job()` makes the call once the job is recorded.
 */
export type Dispatched = { outcome: CallResult } | { wait: TurnWait } | { job: Omit<JobPlan, 'toolCallId'> };

/** The endpoint of a call took it and brings the result itself, for so long (rule TE81). */
export type Deferred = { deferredForMs: number };

/** Says how far a call is; live only (rule TE80). */
export type ReportProgress = (progress: JsonObject) => void;

/** The tools an agent is granted: how they are shown to the model and how a call is carried out. */
export abstract class Toolbox {
  abstract tools(context: ToolContext): Promise<readonly ModelTool[]>;
  /** The catalog action a call ends up at, or undefined (rule S39). Called before the call is recorded. */
  abstract resolve(context: ToolContext, name: string, input: JsonObject): Promise<ToolCall['resolved_action']>;
  /** Carries one recorded call out. The delivery id is durable already and the same on every attempt. */
  abstract dispatch(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Dispatched>;
  /**
   * Makes a call that goes on outside its turn. After a crash it is made again under the same delivery id. Gives its
   * result, or that it comes from outside later, or null: other code hands the result to `CallJobs.finish`, and the
   * signal aborts when the turn no longer waits for it.
   */
  abstract job(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<CallResult | Deferred | null>;
}
