import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { postureFor } from './custody.decide.js';
import type { DefinitionRecord } from './definition.events.js';

/** Custody of a skill, an action or a table as the contract shows it; they have no `restricted` audience. */
export type CustodyWire = {
  owner: Schema<'Owner'>;
  visibility: Schema<'Skill'>['visibility'];
  container: null;
  posture: Schema<'ResourcePosture'>;
};

export function custodyWire(record: DefinitionRecord<unknown>, who: Pick<Identity, 'principalId'>): CustodyWire {
  return {
    owner: { ...record.owner },
    visibility: record.visibility as CustodyWire['visibility'],
    container: null,
    posture: postureFor(record, who),
  };
}
