import type { Identity, JsonObject } from '@aos/kernel';
import { postureFor } from '../definition/custody.decide.js';
import { definitionProjection } from '../definition/definition.projection.js';
import { skillKind, type SkillRecord } from './skill.state.js';

export const skillsProjection = definitionProjection('skills', 1, skillKind, () => ({}));

/** A skill as the contract shows it to this caller. */
export function skillWire(record: SkillRecord, who: Pick<Identity, 'principalId'>): JsonObject {
  const fields = record.wire;
  const wire: JsonObject = {
    id: record.id,
    source: 'custom',
    ...structuredClone(fields),
    allowed_tools: [...fields.allowed_actions], // the reference client's name for it (rule R17)
    owner: { ...record.owner },
    visibility: record.visibility,
    container: null,
    posture: postureFor(record, who),
    created_by: record.created_by,
    updated_by: record.updated_by,
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
  return wire;
}
