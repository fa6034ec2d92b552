import { parseDocument } from 'yaml';
import type { RequestBody } from '@aos/client';

export type BlueprintBody = RequestBody<'applyBlueprint'>;

export type Document = { body: BlueprintBody } | { fault: string };

const bytesMax = 4 * 1024 * 1024;

/**
 * Reads a blueprint as YAML or JSON. The mode is the console's to say, so the document's own is left out.
 */
export function documentFrom(text: string): Document {
  if (text.trim() === '') return { fault: 'Paste a blueprint, or drop a file.' };
  if (text.length > bytesMax) return { fault: `A blueprint has at most ${bytesMax / 1024 / 1024} MiB.` };
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) return { fault: error.message };
  let read: unknown;
  try {
    read = document.toJS({ maxAliasCount: 100 });
  } catch (failure) {
    if (failure instanceof ReferenceError) return { fault: failure.message }; // too many aliases
    throw failure;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read) || !('resources' in read))
    return { fault: 'A blueprint is an object with resources.' };
  const { mode: _, ...body } = read as BlueprintBody;
  return { body };
}

/** A blueprint to begin with. */
export const example = `namespace: shop
blueprint_key: support
blueprint_version: '1'
resources:
  agents:
    - key: support
      name: shop-support
      system_prompt: You answer the customers of a small shop.
`;
