import type { JsonObject, ModelTool } from '@aos/kernel';
import type { AgentRecord } from '@aos/definitions/published';
import type { OpenTurn } from '../session/session.state.js';
import type { ToolCall, ToolOutcome, TurnWait } from '../session/session.events.js';

export interface ToolContext {
  orgId: string;
  sessionId: string;
  turn: OpenTurn;
  agent: AgentRecord;
}

/** What becomes of a call: an outcome now, or the turn parks until it comes. */
export type Dispatched = { outcome: Omit<ToolOutcome, 'tool_call_id'> } | { wait: TurnWait };

/** The tools an agent is granted: how they are shown to the model and how a call is carried out. */
export abstract class Toolbox {
  abstract tools(context: ToolContext): Promise<readonly ModelTool[]>;
  /** The catalog action a call ends up at, or undefined (decision S39). Called before the call is recorded. */
  abstract resolve(context: ToolContext, name: string, input: JsonObject): Promise<ToolCall['resolved_action']>;
  /** Carries one recorded call out. The delivery id is durable already and the same on every attempt. */
  abstract dispatch(context: ToolContext, call: ToolCall, progress: (progress: JsonObject) => void, signal: AbortSignal): Promise<Dispatched>;
}

/** No tool is granted: every call is answered with an error that the model can read. */
export class EmptyToolbox extends Toolbox {
  override async tools(): Promise<readonly ModelTool[]> {
    return [];
  }

  override async resolve(): Promise<undefined> {
    return undefined;
  }

  override async dispatch(_context: ToolContext, call: ToolCall): Promise<Dispatched> {
    return { outcome: { status: 'error', content: `There is no tool named ${call.name}.`, is_error: true } };
  }
}
