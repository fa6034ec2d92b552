import { usageComplaint } from '../console/complaint.js';

/** One part of a path. Refuses what would address another path: nothing, as of a variable that is not set, and dots. */
export function pathPart(name: string, value: string): string {
  if (/^\.{0,2}$/.test(value)) throw usageComplaint(`<${name}> is "${value}", which is no id`);
  return encodeURIComponent(value);
}
