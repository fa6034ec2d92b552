import type { Reply } from '@aos/contract';
import { CallerCommand, Routed } from '@aos/platform';
import type { AskedInteraction } from './opening.decide.js';

const askInput = {
  type: 'object',
  required: ['body', 'turn_id', 'tool_call_id'],
  properties: { body: { type: 'object' }, turn_id: { type: 'string' }, tool_call_id: { type: 'string' } },
};

export class OpenInteraction extends CallerCommand<{ body: AskedInteraction }, Reply<'createInteraction'>> {}

/**
 * Opens what an agent asks in a tool call, as its own principal. The asking call is the consumer (rule I36); any
 * consumer of the body is left out. A repeated delivery id changes nothing and answers with the record as it is.
 */
@Routed('interactions.open', { stream: 'interaction', input: askInput })
export class AskInTurn extends CallerCommand<
  { body: AskedInteraction; turn_id: string; tool_call_id: string },
  Reply<'createInteraction'>
> {}
