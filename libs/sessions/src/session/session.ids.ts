import { base32Number, hash32, idPart, parseBase32Number } from '@aos/kernel';

export { sessionIdFor } from '@aos/kernel';

const ordinalWidth = 6; // 32^6 turns, nudges or rows of a kind in one session

/** Stream that remembers how often a key was freed by deletion. */
export function sessionKeyStreamId(orgId: string, agentId: string, sessionKey: string): string {
  return hash32(`${orgId}\n${agentId}\n${sessionKey}`);
}

export function turnId(sessionId: string, ordinal: number): string {
  return `turn_${idPart(sessionId)}${base32Number(ordinal, ordinalWidth)}`;
}

export function nudgeId(sessionId: string, ordinal: number): string {
  return `nudge_${idPart(sessionId)}${base32Number(ordinal, ordinalWidth)}`;
}

/** Id of the row that a turn writes at an index: known before it is appended, the same after a takeover (rule F16). */
export function turnRowId(sessionId: string, turnOrdinal: number, turnIndex: number): string {
  return `msg_${idPart(sessionId)}t${base32Number(turnOrdinal, ordinalWidth)}${base32Number(turnIndex, ordinalWidth)}`;
}

/** Id of a row that no turn writes: one kind, numbered by its sequence. */
export function rowOutsideTurnsId(sessionId: string, sequence: number): string {
  return `msg_${idPart(sessionId)}r${base32Number(sequence, ordinalWidth)}`;
}

/** Gives the session and ordinal that a turn or nudge id names, or null for text that is no such id. */
export function parseSessionPart(id: string, prefix: 'turn' | 'nudge'): { sessionId: string; ordinal: number } | null {
  if (!id.startsWith(`${prefix}_`)) return null;
  const part = id.slice(prefix.length + 1);
  if (part.length <= ordinalWidth) return null;
  const ordinal = parseBase32Number(part.slice(-ordinalWidth));
  return ordinal === null ? null : { sessionId: `ses_${part.slice(0, -ordinalWidth)}`, ordinal };
}
