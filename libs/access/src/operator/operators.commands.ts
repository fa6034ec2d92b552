import type { JsonObject } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';
import type { OperatorAnswer, OperatorAsk } from './operator-wire.js';

/** The command that carries an operator's request to access-service. */
export const operatorCommandName = 'operators.run';

const input: JsonObject = {
  type: 'object',
  required: ['words', 'options'],
  properties: {
    words: { type: 'array', items: { type: 'string' } },
    options: { type: 'object', additionalProperties: { type: 'string' } },
  },
};

/** Operator endpoint of a fleet. Only a caller that signs as operator can send it. */
@Routed(operatorCommandName, { service: 'access-service', input, callers: 'operator' })
export class RunOperatorCommand extends CallerCommand<OperatorAsk, OperatorAnswer> {}
