import type { Schema } from '@aos/contract';
import { custodyCommandSchema, type CustodyCommand } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';

const input = {
  type: 'object',
  required: ['session_id', 'change', 'judge_only'],
  properties: { session_id: { type: 'string' }, change: custodyCommandSchema, judge_only: { type: 'boolean' } },
};

/** Changes who owns a session and who reaches it. `judge_only`: refuses what would be refused, and writes nothing. */
@Routed('sessions.change_custody', { stream: 'session', input })
export class ChangeSessionCustody extends CallerCommand<
  { session_id: string; change: CustodyCommand; judge_only: boolean },
  Schema<'ResourceOwnershipState'>
> {}
