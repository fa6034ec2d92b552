import type { Position as Text } from '@aos/kernel';
import type { Position as LogPosition } from '@eventstore/db-client';

const width = 16;
const notGiven = 0xffff_ffff_ffff_ffffn;

/** A place in `$all` as text that compares in log order: commit and prepare offset, 16 hexadecimal digits each. */
export function positionText({ commit, prepare }: LogPosition): Text {
  if (commit === notGiven)
    throw new Error('the event store gives no positions with its events; version 23.10 or later is needed');
  return commit.toString(16).padStart(width, '0') + prepare.toString(16).padStart(width, '0');
}

/** Reads `positionText`; throws for other text. */
export function logPosition(text: Text): LogPosition {
  if (!/^[0-9a-f]{32}$/.test(text)) throw new Error(`not a position of this store: ${text}`);
  return { commit: BigInt(`0x${text.slice(0, width)}`), prepare: BigInt(`0x${text.slice(width)}`) };
}
