/** One frame of a stream. `data` is JSON text (never raw text), or anything that is turned into it. */
export interface Frame {
  id?: string;
  event: string;
  data: unknown;
}

const forbiddenCharacters = /[\r\n\0]/;

/** Text that is JSON already, encoded once for many viewers. */
export class EncodedJson {
  constructor(readonly text: string) {}
}

/**
 * The bytes of a frame: `id`, `event`, one `data` line, blank line (rule F1).
 *
 * Throws for CR, LF or NUL in `id` or `event`; JSON text holds none of them, and pre-encoded text is checked (control
 * S22).
 */
export function encodeFrame({ id, event, data }: Frame): string {
  if (forbiddenCharacters.test(event) || event === '') throw new Error('an event name must be one line');
  if (id !== undefined && forbiddenCharacters.test(id)) throw new Error('an event id must be one line');
  const text = data instanceof EncodedJson ? data.text : JSON.stringify(data);
  if (data instanceof EncodedJson && forbiddenCharacters.test(text))
    throw new Error('event data must be one line of JSON');
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${text}\n\n`;
}
