import type { Schema } from '@aos/contract';
import { custodyCommandSchema, type CustodyCommand } from '@aos/kernel';
import { CallerCommand, Routed } from '@aos/platform';

const input = {
  type: 'object',
  required: ['artifact_id', 'change', 'judge_only'],
  properties: { artifact_id: { type: 'string' }, change: custodyCommandSchema, judge_only: { type: 'boolean' } },
};

/** Changes who owns a file and who reaches it. `judge_only`: refuses what would be refused, and writes nothing. */
@Routed('artifacts.change_custody', { stream: 'artifact', input })
export class ChangeArtifactCustody extends CallerCommand<
  { artifact_id: string; change: CustodyCommand; judge_only: boolean },
  Schema<'ResourceOwnershipState'>
> {}
