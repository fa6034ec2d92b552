const eventStream = /(?:^|,)\s*text\/event-stream\s*(?:;([^,]*))?(?:,|$)/i;
/** A quality of zero: the caller takes anything but this (RFC 9110, 12.4.2). */
const refused = /(?:^|;)\s*q=0(?:\.0{0,3})?\s*(?:;|$)/i;

/** Takes the `Accept` header. Gives whether the caller asks for events by name; a wildcard means JSON (rule T26). */
export function wantsStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const found = eventStream.exec(accept);
  return found !== null && !(found[1] !== undefined && refused.test(found[1]));
}
