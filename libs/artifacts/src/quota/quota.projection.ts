import { dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import { reservationAgeMaxMs } from '../artifact/artifact.limits.js';
import type { QuotaEvent } from './quota.events.js';
import { quotaKind, type QuotaState } from './quota.state.js';

export const reservationHandler = 'artifact_reservations';

/** The timer of an organization's oldest reservation (rule TE4). */
export const reservationTimersProjection: StreamProjection<QuotaState, QuotaEvent> = {
  name: 'artifact_reservation_timers',
  version: 1,
  kind: quotaKind,
  rows({ state: { orgId, reservations }, id, revision }) {
    if (orgId === null) return [];
    const times = [...reservations.values()].map(({ at }) => at);
    const at = times.length === 0 ? null : Math.min(...times) + reservationAgeMaxMs;
    return [
      dueRow({
        stream: `artifactquota-${id}`,
        revision,
        name: 'reservations',
        at,
        handler: reservationHandler,
        details: { org_id: orgId },
      }),
    ];
  },
};
