import type { ModelBlock, ModelMessage } from '@aos/kernel';
import { textTokens } from './token-estimate.js';

/** Tool calls that the newest assistant message of a window made and nothing has answered yet. */
export type OpenCalls = Set<string>;

/**
 * Keeps calls and results in the pairs that providers require, also when rows were imported, summed up, or still wait.
 *
 * Takes    the calls that are open before the message; it is brought up to date.
 * Gives    the messages to add: results that answer no open call become text, and so do a call that is in no answer and
 *          a result that is in one; calls that are passed over get a result that says so.
 */
export function paired(message: ModelMessage, open: OpenCalls): ModelMessage[] {
  const added: ModelMessage[] = [];
  const isAnswer = message.role === 'assistant';
  const answers =
    !isAnswer && message.content.some((block) => block.type === 'tool_result' && open.has(block.tool_use_id));
  if (open.size > 0 && !answers) {
    added.push({ role: 'user', service: true, tokens: open.size * noResultTokens, content: [...open].map(noResult) });
    open.clear();
  }
  const content = message.content.map((block) => {
    if (block.type === 'tool_use' && !isAnswer) return callAsText(block);
    return block.type === 'tool_result' && !open.delete(block.tool_use_id) ? asText(block) : block;
  });
  if (answers) content.unshift(...[...open].map(noResult));
  open.clear();
  for (const block of content) if (block.type === 'tool_use') open.add(block.id);
  added.push(content.every((block, index) => block === message.content[index]) ? message : { ...message, content });
  return added;
}

const noResultText = 'No result was recorded for this call.';
const noResultTokens = textTokens(noResultText);

function noResult(id: string): ModelBlock {
  return { type: 'tool_result', tool_use_id: id, content: noResultText, is_error: true };
}

function asText(block: ModelBlock & { type: 'tool_result' }): ModelBlock {
  return { type: 'text', text: `[result of an earlier call] ${block.content}` };
}

function callAsText({ name, input }: ModelBlock & { type: 'tool_use' }): ModelBlock {
  return { type: 'text', text: `[an earlier call of ${name}] ${JSON.stringify(input)}` };
}
