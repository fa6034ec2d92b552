import { firstCharacters, isLongerThan, type JsonObject } from '@aos/kernel';
import { parametersShownBytesMax, previewCharactersMax } from './invocation.limits.js';

/** An input as the record shows it: small ones whole. */
export function shownParameters(input: JsonObject): JsonObject {
  const text = JSON.stringify(input);
  const bytes = Buffer.byteLength(text);
  return bytes <= parametersShownBytesMax
    ? input
    : { truncated: true, bytes, preview: firstCharacters(text, previewCharactersMax) };
}

/** An output as the record shows it; `warning`: why a part of the reply is left out (rule T31). */
export function shownOutput(output: JsonObject, warning: string | null): JsonObject {
  const text = JSON.stringify(output);
  return {
    bytes: Buffer.byteLength(text),
    preview: firstCharacters(text, previewCharactersMax),
    truncated: isLongerThan(text, previewCharactersMax),
    ...(warning === null ? {} : { warnings: [warning] }),
  };
}
