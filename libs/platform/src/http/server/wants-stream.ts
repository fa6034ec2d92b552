const eventStream = /(^|,)\s*text\/event-stream\s*(;|,|$)/i;

/** Takes the `Accept` header. Gives whether the caller asks for events by name; a wildcard means JSON (rule T26). */
export function wantsStream(accept: string | undefined): boolean {
  return accept !== undefined && eventStream.test(accept);
}
