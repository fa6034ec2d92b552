import type { Reply, RequestBody } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';

const respondInput = {
  type: 'object',
  required: ['interaction_id', 'body'],
  properties: { interaction_id: { type: 'string' }, body: { type: 'object' } },
};
const cancelInput = {
  type: 'object',
  required: ['interaction_id'],
  properties: { interaction_id: { type: 'string' }, reason: { type: ['string', 'null'] } },
};

/** A repeated delivery id changes nothing and answers with the record as it is. */
@Routed('interactions.respond', { stream: 'interaction', input: respondInput })
export class RespondToInteraction extends CallerCommand<
  { interaction_id: string; body: RequestBody<'respondToInteraction'> },
  Reply<'respondToInteraction'>
> {}

export class ReviewInteraction extends CallerCommand<
  { interaction_id: string; body: RequestBody<'reviewInteraction'> },
  Reply<'reviewInteraction'>
> {}

type CancelInput = { interaction_id: string; reason?: string | null };

export class CancelInteraction extends CallerCommand<CancelInput, Reply<'cancelInteraction'>> {}

/** For an agent in a tool call: reaches only what the agent itself asked (rules I24, A33). */
@Routed('interactions.cancel', { stream: 'interaction', input: cancelInput })
export class CancelOwnInteraction extends CallerCommand<CancelInput, Reply<'cancelInteraction'>> {}

export class HideInteraction extends CallerCommand<{ interaction_id: string }, void> {}
