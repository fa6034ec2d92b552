/** Whether a text can name event types: a concrete type, or a prefix with `.*` (contract, `RoutineEventTrigger`). */
export function isPattern(text: string): boolean {
  return text.length <= 255 && /^[A-Za-z][\w-]*(?:\.[\w-]+)*\.(?:\*|[\w-]+)$/.test(text);
}

/** The provider or family that a pattern speaks of: what stands before the first dot. */
export function prefixOf(pattern: string): string {
  return pattern.slice(0, pattern.indexOf('.'));
}
