import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';

const text = { type: 'string' };
const proposeInput = {
  type: 'object',
  required: ['request', 'session_id'],
  properties: { request: { type: 'object' }, reason: text, session_id: text },
};

/**
 * Proposes what an agent asks for in a tool call. A repeated delivery id changes nothing and answers with the record as
 * it is.
 */
@Routed('routines.propose', { stream: 'proposal', input: proposeInput })
export class ProposeRoutine extends CallerCommand<
  { request: RequestBody<'createRoutine'>; reason?: string; session_id: string },
  Reply<'dismissRoutineProposal'>
> {}

export class ApproveProposal extends CallerCommand<
  { proposal_id: string },
  { routine: Reply<'approveRoutineProposal'>; isNew: boolean }
> {}

export class DismissProposal extends CallerCommand<{ proposal_id: string }, Reply<'dismissRoutineProposal'>> {}
