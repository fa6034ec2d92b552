import type { Schema } from '@aos/contract';
import { custodyCommandSchema, type WantedCustody } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';

const input = {
  type: 'object',
  required: ['routine_id', 'wanted'],
  properties: { routine_id: { type: 'string' }, wanted: custodyCommandSchema.properties.wanted },
};

/** Changes who owns a routine; its audience follows from that. */
@Routed('routines.change_custody', { stream: 'routine', input })
export class ChangeRoutineCustody extends CallerCommand<
  { routine_id: string; wanted: WantedCustody },
  Schema<'ResourceOwnershipState'>
> {}
