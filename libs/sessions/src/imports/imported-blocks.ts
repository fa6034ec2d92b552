import { Refusal, badRequest, type Issue, type JsonObject } from '@aos/kernel';
import type { Block } from '../session/session.events.js';
import { checkInputContent } from '../turn/turn-input.js';

interface Member {
  readonly fits: (value: unknown) => boolean;
  readonly message: string;
  readonly isOptional?: true;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text: Member = { fits: isText, message: 'must be a string' };
const flag: Member = { fits: (value) => typeof value === 'boolean', message: 'must be true or false' };
const count: Member = { fits: Number.isSafeInteger, message: 'must be a whole number' };
const object: Member = { fits: isObject, message: 'must be an object' };
const action: Member = {
  fits: (value) => isObject(value) && isText(value.name) && isObject(value.input),
  message: 'must have a name and an input',
};
const result: Member = {
  fits: (value) => isText(value) || Array.isArray(value),
  message: 'must be a string or a list of blocks',
};
const optional = (member: Member): Member => ({ ...member, isOptional: true });
const oneOf = (...types: string[]): Member => ({
  fits: (value) => types.includes(String(value)),
  message: `must be one of ${types.map((type) => JSON.stringify(type)).join(', ')}`,
});

type Members = Readonly<Record<string, Member>>;

const media: Members = {
  source: object,
  title: optional(text),
  media_type: optional(text),
  size_bytes: optional(count),
};
/** The contract's `ContentBlock`: what every answer with the row has to fit. */
const blocks: Readonly<Record<string, Members>> = {
  text: { text },
  thinking: { thinking: text, signature: optional(text) },
  tool_use: {
    id: text,
    name: text,
    input: object,
    status: optional(text),
    progress: optional(object),
    resolved_action: optional(action),
  },
  tool_result: { tool_use_id: text, content: optional(result), is_error: optional(flag) },
  image: media,
  document: { ...media, page_count: optional(count), context: optional(text), citations: optional(object) },
};
const sources: Readonly<Record<string, Members>> = {
  image: {
    type: oneOf('url', 'base64'),
    url: optional(text),
    media_type: optional(oneOf('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
    data: optional(text),
  },
  document: {
    type: oneOf('url', 'base64', 'text'),
    url: optional(text),
    media_type: optional(text),
    data: optional(text),
  },
};
const unresolvable = new Set(['artifact', 'file']);
const issuesMax = 20;

/**
 * The blocks of a row that is brought in, also those inside of a tool's result; media are checked as in a turn's input.
 *
 * Takes    what the body has as the row's content; `path` is its JSON pointer.
 * Refuses  bad_request for a block that is not in the contract's form, and for a `reminder`; invalid_argument
 *          {argument: source.type} for a source that is not resolved; as `checkInputContent`.
 * Source   rules S35, S44, S45, S46.
 */
export function importedBlocks(content: readonly JsonObject[], path: string): Block[] {
  const issues: Issue[] = [];
  checkBlocks(content, path, issues);
  if (issues.length > 0) throw badRequest(issues.slice(0, issuesMax));
  checkMedia(content, path);
  return content as Block[];
}

function checkBlocks(content: readonly unknown[], path: string, issues: Issue[]): void {
  for (const [index, block] of content.entries()) {
    const at = `${path}/${index}`;
    if (!isObject(block)) {
      issues.push({ path: at, message: object.message });
      continue;
    }
    const type = String(block.type);
    if (type === 'reminder') issues.push({ path: `${at}/type`, message: 'reminder is written by the service' });
    else if (!isText(block.type) || !Object.hasOwn(blocks, type))
      issues.push({ path: `${at}/type`, message: 'is not a block type' });
    else checkBlock(block, type, at, issues);
  }
}

function checkBlock(block: JsonObject, type: string, path: string, issues: Issue[]): void {
  checkMembers(block, blocks[type] ?? {}, path, issues);
  const { source, content } = block;
  if (Object.hasOwn(sources, type) && isObject(source)) {
    if (unresolvable.has(String(source.type)))
      throw new Refusal(
        'invalid_argument',
        { argument: 'source.type' },
        `${path}: this source is not resolved; give its bytes or URL`,
      ); // rule S35
    checkMembers(source, sources[type] ?? {}, `${path}/source`, issues);
  }
  if (type === 'tool_result' && Array.isArray(content)) checkBlocks(content, `${path}/content`, issues);
}

function checkMembers(value: JsonObject, members: Members, path: string, issues: Issue[]): void {
  for (const [name, { fits, message, isOptional }] of Object.entries(members)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined && isOptional) continue;
    if (!fits(given)) issues.push({ path: `${path}/${name}`, message: given === undefined ? 'is required' : message });
  }
}

function checkMedia(content: readonly JsonObject[], path: string): void {
  checkInputContent(content, path);
  for (const [index, { type, content: inner }] of content.entries())
    if (type === 'tool_result' && Array.isArray(inner)) checkMedia(inner as JsonObject[], `${path}/${index}/content`);
}
