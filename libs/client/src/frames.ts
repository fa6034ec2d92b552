import { createParser } from 'eventsource-parser';
import { ApiError } from './api-error.js';
import type { Frame } from './wire.js';

/** The service writes a comment every 15 s: a connection that is silent for three of them is dead. */
const silenceMs = 45_000;
/** One frame holds at most one row. */
const frameCharsMax = 64 * 1024 * 1024;

/** A frame with its text, by which a repeat is known. */
export interface ReadFrame extends Frame {
  text: string;
}

/**
 * Reads the frames of one answer, as fast as they are taken.
 *
 * Takes    what opens the answer.
 * Refuses  with `ApiError` (`connection_failed`) when the connection breaks off, or is silent for too long.
 */
export async function* framesOf(open: () => Promise<Response>): AsyncGenerator<ReadFrame, void, undefined> {
  const response = await open();
  const frames: ReadFrame[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      const frame = { data: JSON.parse(data) as Frame['data'], text: data };
      frames.push(id === undefined || id === '' ? frame : { id, ...frame });
    },
    maxBufferSize: frameCharsMax,
  });
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const chunk = await readWithin(reader, silenceMs);
      if (chunk === null) return;
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* frames.splice(0);
    }
  } finally {
    reader.cancel().catch(() => undefined); // what broke off cannot be cancelled again
  }
}

/** The frames of one answer, without coming back when it breaks off. */
export async function* framesOnce(open: () => Promise<Response>): AsyncGenerator<Frame, void, undefined> {
  for await (const { text: _text, ...frame } of framesOf(open)) yield frame;
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function readWithin(reader: Reader, ms: number): Promise<Uint8Array | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`nothing came for ${ms} ms`));
    }, ms);
  });
  try {
    const { done, value } = await Promise.race([reader.read(), silence]);
    return done ? null : value;
  } catch (cause) {
    throw new ApiError({ code: 'connection_failed', status: 0, message: 'the stream broke off', cause });
  } finally {
    clearTimeout(timer);
  }
}
