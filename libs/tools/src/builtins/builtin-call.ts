import type { AgentInTurn, Identity, JsonObject } from '@aos/kernel';
import type { AgentRecord, CatalogAction } from '@aos/definitions/published';
import type { ToolCall, ToolContext, ToolOutcome, TurnWait } from '@aos/sessions/published';

/** One call of a built-in action; its input fits the action's schema. */
export interface BuiltinCall {
  /**
   * The agent together with the principal that its turn acts for: no query can be made with one of them alone (rule
   * A33).
   */
  who: AgentInTurn;
  /** As it is now. */
  agent: AgentRecord;
  /** The actions that the agent is granted now, not narrowed by skills. */
  granted: readonly CatalogAction[];
  context: ToolContext;
  call: ToolCall;
  input: JsonObject;
}

export type BuiltinAnswer = { output: JsonObject; more?: Pick<ToolOutcome, 'skill_id'> } | { wait: TurnWait };

/** A call outside a turn. */
export interface DirectCall {
  who: Identity;
  call: Pick<ToolCall, 'delivery_id'>;
  input: JsonObject;
}

/** A built-in action that needs nothing of a session. */
export type DirectTool = (call: DirectCall) => Promise<{ output: JsonObject }>;

export type BuiltinTool = (call: BuiltinCall) => Promise<BuiltinAnswer>;

/** Built-in actions by their names. */
export interface BuiltinFamily {
  readonly tools: Readonly<Record<string, BuiltinTool>>;
}

export function answering<Call extends DirectCall>(
  carryOut: (call: Call) => Promise<JsonObject>,
): (call: Call) => Promise<{ output: JsonObject }> {
  return async (call) => ({ output: await carryOut(call) });
}
