import type { Position } from '@aos/kernel';

const digits = 20;

/** Decimal with leading zeros: order of text is order of numbers. */
export function positionText(position: number): Position {
  return String(position).padStart(digits, '0');
}

/** Reads `positionText`; the empty text is the start. Throws for what is neither. */
export function positionNumber(position: Position): number {
  if (position === '') return 0;
  if (!/^[0-9]{20}$/.test(position)) throw new Error(`not a position of this log: ${position}`);
  return Number(position);
}
