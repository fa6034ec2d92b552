import type { JsonObject } from '@aos/client';
import type { Block } from './transcript-items';
import type { ToolResult } from './transcript-view';

/** What a card shows of one tool call. */
export interface ToolCall {
  id: string;
  name: string;
  /** The name that the model saw, where the action has another. */
  shownAs: string | null;
  input: unknown;
  status: 'pending' | 'running' | 'ok' | 'error' | 'cancelled';
  output: unknown;
  progress: JsonObject | null;
}

const statuses: readonly ToolCall['status'][] = ['pending', 'running', 'ok', 'error', 'cancelled'];

export function toolCallOf(block: Block, result: ToolResult | undefined): ToolCall {
  const {
    id,
    name,
    input,
    progress,
    resolved_action: action,
  } = block as {
    id?: unknown;
    name?: unknown;
    input?: unknown;
    progress?: JsonObject;
    resolved_action?: { name: string; input: unknown };
  };
  const called = String(name ?? 'tool');
  return {
    id: String(id),
    name: action?.name ?? called,
    shownAs: action !== undefined && action.name !== called ? called : null,
    input: action?.input ?? input ?? {},
    status: statusOf(block, result),
    output: result === undefined ? undefined : outputOf(result.block['content']),
    progress: progress ?? null,
  };
}

/** Milliseconds from the row of the call to that of its result; null while there is none. */
export function callDuration(calledAt: string, result: ToolResult | undefined): number | null {
  return result === undefined ? null : Math.max(0, Date.parse(result.at) - Date.parse(calledAt));
}

function statusOf(block: Block, result: ToolResult | undefined): ToolCall['status'] {
  if (result?.block['is_error'] === true) return 'error';
  const known = statuses.find((status) => status === block['status']);
  if (result !== undefined) return known === 'error' || known === 'cancelled' ? known : 'ok';
  return known ?? 'pending';
}

/** JSON where the result is JSON as text, as most are; the texts of a list of blocks. */
function outputOf(content: unknown): unknown {
  if (Array.isArray(content)) {
    const blocks = content as Block[];
    return blocks.every(({ type }) => type === 'text') ? outputOf(blocks.map((one) => one['text']).join('\n')) : blocks;
  }
  if (typeof content !== 'string') return content;
  if (!/^\s*[[{]/.test(content) || content.length > 1_000_000) return content;
  try {
    return JSON.parse(content) as unknown;
  } catch (error) {
    if (error instanceof Error) return content; // text that begins like JSON
    throw error;
  }
}
