import {
  isJsonObject,
  jsonDepthMax,
  outsideJson,
  sha256Hex,
  type EgressResponse,
  type Json,
  type JsonObject,
} from '@aos/kernel';
import { progressBytesMax, type ToolOutcome } from '@aos/sessions/published';
import { isSuccess } from './attempts.decide.js';

type ContextItems = NonNullable<ToolOutcome['context']>;

/** The content of a 2xx reply; `warning`: its context is left out, and why. */
export type Reply = { output: JsonObject; context: ContextItems; warning: string | null } | { unreadable: string };

/** The limits of a caller's context (rule L10). */
const contextNamesMax = 8;
const contextItemBytesMax = 8 * 1024;
const contextTotalBytesMax = 16 * 1024;
const contextName = /^[a-z][a-z0-9-]{0,63}$/;

const progressType = 'application/x-ndjson';
/** A line that says more is no progress that anyone is shown. */
const progressLineCharactersMax = 2 * progressBytesMax;

/** Whether a reply tells how far the call is before it gives the output (rule TE80). */
export function isProgressReply({ status, headers }: Pick<EgressResponse, 'status' | 'headers'>): boolean {
  return isSuccess(status) && mediaTypeOf(headers) === progressType;
}

/** Whether an endpoint took the call and brings the result itself (rule TE81). Takes the vendor token, `svc`. */
export function isDeferral({ status, headers }: Pick<EgressResponse, 'status' | 'headers'>, token: string): boolean {
  return status === 202 && headers[`x-${token}-result`]?.trim().toLowerCase() === 'deferred';
}

/** The progress that a line of such a reply reports; null for any other line. */
export function progressIn(line: string): JsonObject | null {
  const value = line.length > progressLineCharactersMax ? undefined : outsideJson(line);
  return value !== undefined && isJsonObject(value) && value.progress !== undefined && isJsonObject(value.progress)
    ? value.progress
    : null;
}

/**
 * Reads a reply.
 *
 * Takes    `token`: spelling of the vendor token in the envelope's media type.
 * Gives    JSON as the output, anything but an object wrapped as `{output}`; of an envelope its output and its context;
 *          of the last line of a reply with progress its output.
 * Source   rules R24, T31; rule TE80.
 */
export function readReply({ headers, body }: Pick<EgressResponse, 'headers' | 'body'>, token: string): Reply {
  const mediaType = mediaTypeOf(headers);
  const text = new TextDecoder().decode(body); // without a byte order mark, as clients of HTTP read it
  if (mediaType === progressType) return lastLine(text);
  if (text.trim() === '') return plain({});
  const value = outsideJson(text);
  if (value === undefined)
    return mediaType.endsWith('json')
      ? {
          unreadable: `the reply is not JSON, is nested more than ${jsonDepthMax} levels deep, or holds a number or member that is not taken`,
        }
      : plain({ output: text });
  if (mediaType !== `application/vnd.${token}.action+json`) return plain(outputOf(value));
  if (!isJsonObject(value)) return { unreadable: 'the reply envelope is not an object' };
  const output = value.output === undefined ? {} : outputOf(value.output);
  const context = contextOf(value.context);
  return typeof context === 'string' ? { output, context: [], warning: context } : { output, context, warning: null };
}

function lastLine(text: string): Reply {
  const value = outsideJson(text);
  if (value === undefined || !isJsonObject(value) || value.output === undefined)
    return { unreadable: 'the last line of the reply is no {output} line' };
  return plain(outputOf(value.output));
}

function mediaTypeOf(headers: EgressResponse['headers']): string {
  return (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

function contextOf(context: Json | undefined): ContextItems | string {
  if (context === undefined || context === null) return [];
  if (!Array.isArray(context) || context.length > contextNamesMax)
    return `context is not a list of at most ${contextNamesMax} items`;
  const items: ContextItems = [];
  let bytes = 0;
  for (const item of context) {
    if (
      !isJsonObject(item) ||
      typeof item.name !== 'string' ||
      typeof item.content !== 'string' ||
      !contextName.test(item.name) ||
      item.content === ''
    )
      return 'a context item has no valid name or content';
    if (items.some(({ name }) => name === item.name)) return `context names ${item.name} twice`;
    const size = Buffer.byteLength(item.content);
    bytes += size;
    if (size > contextItemBytesMax || bytes > contextTotalBytesMax) return 'context is over its limits';
    items.push({ name: item.name, content: item.content, digest: sha256Hex(item.content) });
  }
  return items;
}

function plain(output: JsonObject): Reply {
  return { output, context: [], warning: null };
}

/** Any JSON as an output: what is no object is wrapped. */
export function outputOf(value: Json): JsonObject {
  return isJsonObject(value) ? value : { output: value };
}
