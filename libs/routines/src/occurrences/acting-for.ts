import { serviceActor, type Actor } from '@aos/platform';
import type { OccurrenceRecord } from '../occurrence/occurrence.events.js';

/** The service acts for a run under the principal that the run has. */
export function actingFor({ org_id: orgId, run_as: runAs, id }: OccurrenceRecord): Actor {
  return serviceActor(orgId, runAs.id, id, runAs.kind);
}
