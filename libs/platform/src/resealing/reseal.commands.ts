import { CallerCommand } from '../commands/caller-command.js';
import { Routed } from '../commands/routed.js';
import type { ResealAnswer } from './resealing.js';

/** Names of the commands below, in the order in which an operator's request sends them. */
export const resealCommands = [
  'actions.reseal_secrets',
  'interactions.reseal_secrets',
  'webhooks.reseal_secrets',
  'connections.reseal_secrets',
] as const;

/** `after`: `next` of the answer before; absent at the start. */
type ResealInput = { after?: string };

const input = { type: 'object', properties: { after: { type: 'string' } } };

@Routed(resealCommands[0], { stream: 'action', input, callers: 'operator' })
export class ResealActionSecrets extends CallerCommand<ResealInput, ResealAnswer> {}

@Routed(resealCommands[1], { stream: 'interaction', input, callers: 'operator' })
export class ResealInteractionSecrets extends CallerCommand<ResealInput, ResealAnswer> {}

@Routed(resealCommands[2], { stream: 'webhook', input, callers: 'operator' })
export class ResealWebhookSecrets extends CallerCommand<ResealInput, ResealAnswer> {}

/** Of connections and of providers: both lie in streams `secret-`. */
@Routed(resealCommands[3], { stream: 'secret', input, callers: 'operator' })
export class ResealConnectionSecrets extends CallerCommand<ResealInput, ResealAnswer> {}
