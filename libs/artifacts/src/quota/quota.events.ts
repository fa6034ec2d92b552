import { defineEvents, event, type EventOf } from '@aos/kernel';

/** Bytes of an organization's artifacts: what is there, and what is on its way (rule TE4). */
export const quotaEvents = defineEvents({
  BytesReserved: event<{ org_id: string; upload_id: string; artifact_id: string; bytes: number; at: string }>(
    1,
    {},
    { since: 'artifacts' },
  ),
  BytesSettled: event<{ upload_id: string; artifact_id: string; bytes: number }>(1, {}, { since: 'artifacts' }),
  /** The text of an artifact counts with it (rule TE83). */
  TextSettled: event<{ upload_id: string; artifact_id: string; bytes: number }>(1, {}, { since: 'artifacts' }),
  /** `artifact_id` is null when only the reservation ends. */
  BytesReleased: event<{ upload_id: string; artifact_id: string | null }>(1, {}, { since: 'artifacts' }),
});
export type QuotaEvent = EventOf<typeof quotaEvents>;
