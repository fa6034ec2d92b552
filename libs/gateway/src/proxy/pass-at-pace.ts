import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';

/**
 * Passes a body on at the pace of its reader; either side that leaves ends the other. `write` pauses the body when the
 * reader is behind.
 *
 * Resolves when the reader has all of it, or left; rejects with the fault that broke the body off. `pipeline` does the
 * same with seven listeners for `close` on the answer, which has four already: Node warns of a leak from eleven on.
 */
export async function passAtPace(
  body: Readable,
  reader: ServerResponse,
  write: (chunk: Buffer) => void = (chunk) => {
    if (!reader.write(chunk)) body.pause();
  },
): Promise<void> {
  await new Promise<void>((over, broken) => {
    body.on('data', write);
    body.on('error', broken);
    body.on('end', () => {
      reader.end();
    });
    body.on('close', () => {
      if (!body.readableEnded) broken(new Error('closed before its end'));
    });
    reader.on('drain', () => {
      body.resume();
    });
    reader.on('error', broken);
    reader.on('close', over);
    if (reader.destroyed) over();
  }).finally(() => {
    body.on('error', () => undefined); // the answer is over: errors of a destroyed body are ignored
    body.destroy();
    if (!reader.writableEnded) reader.destroy();
  });
}
