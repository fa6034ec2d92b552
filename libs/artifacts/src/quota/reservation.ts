import { rfc3339 } from '@aos/kernel';
import type { Settings } from '@aos/platform';
import type { ReserveBytes } from './quota.decide.js';

/** The command that takes bytes of an organization's quota, for an upload or for the text of a file. */
export function reservation(
  wanted: Pick<ReserveBytes, 'orgId' | 'uploadId' | 'artifactId' | 'bytes'>,
  nowMs: number,
  { artifactQuotaBytes: limitBytes }: Pick<Settings, 'artifactQuotaBytes'>,
): ReserveBytes {
  return { ...wanted, limitBytes, at: rfc3339(nowMs) };
}
