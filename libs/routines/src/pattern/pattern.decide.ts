/** Whether a text can name event types: a concrete type, or a prefix with `.*` (contract, `RoutineEventTrigger`). */
export function isPattern(text: string): boolean {
  return text.length <= 255 && /^[A-Za-z][\w-]*(?:\.[\w-]+)*\.(?:\*|[\w-]+)$/.test(text);
}

/** Whether an event's type fits: a concrete type is equal, a prefix ends at a dot. */
export function fits(eventType: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? eventType.startsWith(pattern.slice(0, -1)) : eventType === pattern;
}

/** The provider or family that a pattern speaks of: what stands before the first dot. */
export function prefixOf(pattern: string): string {
  return pattern.slice(0, pattern.indexOf('.'));
}
