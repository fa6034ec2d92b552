import { decider } from '@aos/kernel';
import { invocationKind } from './invocation/invocation.state.js';
import { recordToolCall } from './invocation/tool-call.decide.js';
import { finishInvocation, startInvocation, takeInvocationOver } from './invoking/invoking.decide.js';

export const invocationDecider = decider(invocationKind, {
  startInvocation,
  takeInvocationOver,
  finishInvocation,
  recordToolCall,
});
