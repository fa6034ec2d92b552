import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { custodyWire } from '../definition/custody.wire.js';
import { definitionProjection } from '../definition/definition.projection.js';
import { skillKind, type SkillRecord } from './skill.state.js';

export const skillsProjection = definitionProjection('skills', 1, skillKind, () => ({}));

/** A skill as the contract shows it to this caller. */
export function skillWire(record: SkillRecord, who: Pick<Identity, 'principalId'>): Schema<'Skill'> {
  const fields = record.wire;
  return {
    id: record.id,
    source: 'custom',
    ...structuredClone(fields),
    allowed_tools: [...fields.allowed_actions], // the reference client's name for it (rule R17)
    ...custodyWire(record, who),
    created_by: record.created_by,
    updated_by: record.updated_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}
