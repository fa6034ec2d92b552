import { isJsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, MemberForms } from '@aos/platform';
import { metadataBytesMax, metadataDepthMax } from '../session/session.limits.js';

const isText = (value: unknown): boolean => typeof value === 'string';
const isAbsentOrText = (value: unknown): boolean => value === undefined || isText(value);
const titles = new Set<unknown>(['Request answered', 'Request dismissed', 'Request expired']);

/** The members of the contract's `MessageMetadata`: rows from elsewhere bring them too, and each reader gets them. */
const forms: Readonly<Record<string, (value: unknown) => boolean>> = {
  session_nudge_id: isText,
  event_type: isText,
  event_projection: (value) =>
    isJsonObject(value) && titles.has(value.title) && isAbsentOrText(value.summary) && isAbsentOrText(value.excerpt),
  interaction_id: isText,
  response_message_index: Number.isInteger,
  partial: (value) => typeof value === 'boolean',
  terminal_outcome: (value) => value === 'failed' || value === 'cancelled',
  channel_context: (value) =>
    isJsonObject(value) &&
    [value.provider, value.workspace_id, value.channel_id, value.thread_id].every(isAbsentOrText),
};

/** Metadata of a row that a caller sends: at most 16 KiB and 8 deep, and in the contract's form (rules L11, S26). */
export function MessageMetadata(): PropertyDecorator {
  const rules = [JsonBytesMax(metadataBytesMax), JsonDepthMax(metadataDepthMax), MemberForms(forms)];
  return (target, property) => {
    for (const each of rules) each(target, property);
  };
}
