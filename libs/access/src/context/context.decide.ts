import { badRequest } from '@aos/kernel';
import type { OrganizationEvent } from '../organization/organization.events.js';
import { contextBytesMax } from '../organization/organization.limits.js';
import type { OrganizationState } from '../organization/organization.state.js';

/** Turns CRLF into LF and drops trailing space. */
function normalizedContext(content: string): string {
  return content.replaceAll('\r\n', '\n').trimEnd();
}

/**
 * Replaces the text; an empty one clears it. Gives no event when the text is the same. Refuses bad_request over 16384
 * UTF-8 bytes.
 */
export function replaceContext(
  { content, at }: { content: string; at: string },
  state: OrganizationState,
): OrganizationEvent[] {
  const text = normalizedContext(content);
  if (Buffer.byteLength(text) > contextBytesMax)
    throw badRequest([{ path: '/content', message: `must not be over ${contextBytesMax} UTF-8 bytes` }]);
  if (text === (state.context?.content ?? '')) return [];
  return [{ type: 'ContextReplaced', data: { content: text, updated_at: at } }];
}
