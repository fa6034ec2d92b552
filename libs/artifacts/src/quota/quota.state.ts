import { mapGet, nothing, unreachable, withEntry, type PersistentMap, type StreamKind } from '@aos/kernel';
import { quotaEvents, type QuotaEvent } from './quota.events.js';

/** Entries of artifacts that are gone are dropped when there are so many, and more than of those that are there. */
const goneMax = 1_000;
/** Stands for an artifact that is gone. */
const isGone = -1;

export interface Reservation {
  readonly artifactId: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Stream `artifactquota-<organization without prefix>`. */
export interface QuotaState {
  readonly orgId: string | null;
  /** By upload. */
  readonly reservations: ReadonlyMap<string, Reservation>;
  /** Bytes by artifact. */
  readonly live: PersistentMap<string, number>;
  readonly gone: number;
  readonly usedBytes: number;
  readonly count: number;
}

function evolve(state: QuotaState, { type, data }: QuotaEvent): QuotaState {
  switch (type) {
    case 'BytesReserved': {
      const { org_id: orgId, upload_id: uploadId, artifact_id: artifactId, bytes, at } = data;
      const reservation = { artifactId, bytes, at: Date.parse(at) };
      return { ...state, orgId, reservations: new Map([...state.reservations, [uploadId, reservation]]) };
    }
    case 'BytesSettled':
      return {
        ...withoutReservation(state, data.upload_id),
        live: withEntry(state.live, data.artifact_id, data.bytes),
        usedBytes: state.usedBytes + data.bytes,
        count: state.count + 1,
      };
    case 'TextSettled':
      return {
        ...withoutReservation(state, data.upload_id),
        live: withEntry(state.live, data.artifact_id, (bytesOf(state, data.artifact_id) ?? 0) + data.bytes),
        usedBytes: state.usedBytes + data.bytes,
      };
    case 'BytesReleased': {
      const rest = withoutReservation(state, data.upload_id);
      return data.artifact_id === null ? rest : withoutArtifact(rest, data.artifact_id);
    }
    default:
      return unreachable(type);
  }
}

function withoutReservation(state: QuotaState, uploadId: string): QuotaState {
  if (!state.reservations.has(uploadId)) return state;
  const reservations = new Map(state.reservations);
  reservations.delete(uploadId);
  return { ...state, reservations };
}

function withoutArtifact(state: QuotaState, artifactId: string): QuotaState {
  const bytes = bytesOf(state, artifactId);
  if (bytes === null) return state;
  const next = {
    ...state,
    live: withEntry(state.live, artifactId, isGone),
    gone: state.gone + 1,
    usedBytes: state.usedBytes - bytes,
    count: state.count - 1,
  };
  return next.gone > goneMax && next.gone > next.count ? compacted(next) : next;
}

/** The same without the entries of artifacts that are gone. */
function compacted(state: QuotaState): QuotaState {
  const all = new Map(state.live.flatMap((part) => [...part]));
  return { ...state, live: [new Map([...all].filter(([, bytes]) => bytes !== isGone))], gone: 0 };
}

/** Bytes of an artifact that is there; null for any other. */
export function bytesOf({ live }: QuotaState, artifactId: string): number | null {
  const bytes = mapGet(live, artifactId) ?? isGone;
  return bytes === isGone ? null : bytes;
}

/** Bytes that open reservations hold. */
export function reservedBytes({ reservations }: QuotaState): number {
  let bytes = 0;
  for (const reservation of reservations.values()) bytes += reservation.bytes;
  return bytes;
}

export const quotaKind: StreamKind<QuotaState, QuotaEvent> = {
  category: 'artifactquota',
  events: quotaEvents,
  initial: () => ({ orgId: null, reservations: new Map(), live: nothing, gone: 0, usedBytes: 0, count: 0 }),
  evolve,
  stateVersion: 1,
  snapshotEvery: 500,
};
