import { Refusal, badRequest, type Issue, type JsonObject } from '@aos/kernel';
import { blocksMax, mediaBlockBytesMax, mediaBlocksMax } from '../session/session.limits.js';
import type { Block } from '../session/session.events.js';
import { isOfType } from './media-types.js';

/**
 * Checks the blocks of a caller's message beyond their shape.
 *
 * Takes    blocks that fit the contract's `InputContentBlock`; `path` is the JSON pointer of the list in the body.
 * Gives    the blocks to store, or null when one is a `file` block: the whole message is dropped (rule S33).
 * Refuses  bad_request for more than 2,000 blocks, a source without its bytes or URL, wrong base 64, bytes of another
 *          media type, too many media blocks; payload_too_large {limit_bytes} for a block over 5 MiB.
 * Source   rules SES11, SES12, SES13, SES14, L4, L20, S33, S34, S35, S36, S37.
 */
export function checkInputContent(content: readonly JsonObject[], path: string): Block[] | null {
  if (content.length > blocksMax) throw badRequest([{ path, message: `at most ${blocksMax} blocks in a message` }]);
  const issues: Issue[] = [];
  let media = 0;
  let dropped = false;
  for (const [index, block] of content.entries()) {
    const at = `${path}/${index}`;
    if (block.type === 'file') dropped = true;
    if (block.type === 'image' || block.type === 'document') {
      media += 1;
      checkSource(block.source as JsonObject, block.type, `${at}/source`, issues);
    }
  }
  if (media > mediaBlocksMax)
    issues.push({ path, message: `at most ${mediaBlocksMax} images and documents in a message` });
  if (issues.length > 0) throw badRequest(issues);
  return dropped ? null : (content as Block[]);
}

function checkSource(source: JsonObject, kind: 'image' | 'document', path: string, issues: Issue[]): void {
  if (source.type === 'url') {
    if (typeof source.url !== 'string' || !/^https?:\/\//i.test(source.url) || !URL.canParse(source.url)) {
      issues.push({ path: `${path}/url`, message: 'must be an absolute http or https URL' });
    }
    return;
  }
  if (typeof source.data !== 'string' || source.data.length === 0) {
    issues.push({ path: `${path}/data`, message: 'is required' });
    return;
  }
  if (source.type !== 'base64') return; // a document's literal text
  if (typeof source.media_type !== 'string') {
    issues.push({ path: `${path}/media_type`, message: 'is required' });
    return;
  }
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(source.data) || source.data.length % 4 === 1) {
    issues.push({ path: `${path}/data`, message: 'must be base 64' });
    return;
  }
  const bytes = Buffer.from(source.data, 'base64');
  if (bytes.length > mediaBlockBytesMax) {
    throw new Refusal(
      'payload_too_large',
      { limit_bytes: mediaBlockBytesMax },
      `${path}: over ${mediaBlockBytesMax} bytes`,
    );
  }
  if (!isOfType(source.media_type, kind, bytes)) {
    issues.push({ path: `${path}/media_type`, message: `the bytes are not ${source.media_type}` });
  }
}
