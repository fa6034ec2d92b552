import type { InvocationEnd, InvocationEvent, InvocationOpening } from './invocation.events.js';
import type { InvocationState } from './invocation.state.js';

/** Records a tool call that is over, once: made again after a crash it has the same id. */
export function recordToolCall(
  command: { opening: InvocationOpening; end: InvocationEnd },
  { opening }: InvocationState,
): InvocationEvent[] {
  return opening ? [] : [{ type: 'InvocationRecorded', data: { ...command } }];
}
