import type { Schema } from '@aos/client';

export type AnyTurn = Schema<'SessionTranscriptTurn'> | Schema<'AgentTurn'>;

/** What a caller does about the way a turn failed; types that come later have the last text. */
const remedies: Readonly<Record<string, string>> = {
  timeout: 'Give the turn more time (`operation.timeout_seconds`), or the agent less to do in one turn.',
  model_error:
    'The model provider refused or broke off. Send again; if it comes back, look at the provider and its key.',
  model_unavailable: 'Choose another model: this one is not in the catalog, or not in the plan.',
  output_schema_unsatisfied:
    'The answer did not meet the output schema. Make the schema simpler, or describe its fields.',
  memory_context_too_large: "Make the agent's core memory smaller: it does not fit the model's window.",
  agent_unavailable: 'Set the agent to `active`, and look whether its principal is disabled.',
  worker_unavailable: 'Start a worker that offers the model or the action.',
  iteration_limit: 'The agent called tools again and again. Look at its calls, and say in its prompt when to stop.',
  internal_error: 'Send again. If it comes back, report it with the id of the turn.',
};

export function whatToDo(errorType: string | undefined): string {
  return remedies[errorType ?? ''] ?? 'Read the message and the rows of the turn, then send again.';
}

/** Milliseconds from admission to end, to now while it is open. */
export function turnDuration({ created_at, completed_at }: AnyTurn, now: number): number {
  return Math.max(0, (completed_at === undefined ? now : Date.parse(completed_at)) - Date.parse(created_at));
}

/** What the turn waits for, in words; null when it does not wait. */
export function waitText({ status, wait }: AnyTurn): string | null {
  if (status !== 'waiting') return null;
  if (wait === undefined) return 'Waiting';
  if (wait.kind === 'interaction') return 'Waiting for an answer to its question';
  return wait.event_type === undefined ? 'Waiting for an action' : `Waiting for the event ${wait.event_type}`;
}
