import type { JsonObject } from '@aos/kernel';
import { parametersShownBytesMax, previewCharactersMax } from './invocation.limits.js';

/** What a record shows of an input: small ones whole. */
export function shownParameters(input: JsonObject): JsonObject {
  const text = JSON.stringify(input);
  const bytes = Buffer.byteLength(text);
  return bytes <= parametersShownBytesMax
    ? input
    : { truncated: true, bytes, preview: text.slice(0, previewCharactersMax) };
}

/** What a record shows of an output; `warning`: why a part of the reply is left out (rule T31). */
export function shownOutput(output: JsonObject, warning: string | null): JsonObject {
  const text = JSON.stringify(output);
  return {
    bytes: Buffer.byteLength(text),
    preview: text.slice(0, previewCharactersMax),
    truncated: text.length > previewCharactersMax,
    ...(warning === null ? {} : { warnings: [warning] }),
  };
}
