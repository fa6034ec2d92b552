import { type Document, isScalar, parseDocument, visit, YAMLParseError } from 'yaml';
import { badRequest, type Issue } from '@aos/kernel';
import { frontMatterBytesMax } from '../skill/skill.limits.js';
import type { SkillBody } from '../skill/skill.state.js';

const fence = /^---[ \t]*\r?\n([\s\S]*?)(?:\r?\n)?^---[ \t]*(?:\r?\n|$)/m;

/**
 * Reads a skill document: optional YAML front matter between two `---` lines, then the instructions.
 *
 * Takes    the text, and a name that overrides the document's.
 * Gives    a full skill body. The name comes from the caller, else from `name`, else from the first heading. Unknown
 *          members are left out.
 * Refuses  bad_request for front matter that is too large or no map, members of the wrong kind, a missing name, or no
 *          instructions.
 */
export function readSkillDocument(content: string, name?: string): SkillBody {
  const text = content.replace(/^\uFEFF/, '');
  const matter = text.startsWith('---') ? fence.exec(text) : null;
  const fields = matter?.index === 0 ? frontMatter(matter[1] ?? '') : {};
  const instructions = (matter?.index === 0 ? text.slice(matter[0].length) : text).trim();
  const issues: Issue[] = [];
  const body: SkillBody = {
    name: name?.trim() ? name : (textOf(fields, ['name'], issues) ?? headingOf(instructions) ?? ''),
    instructions,
  };
  if (body.name === '') issues.push({ path: '/name', message: 'neither the request nor the document names the skill' });
  if (instructions === '') issues.push({ path: '/content', message: 'the document has no instructions' });
  const title = textOf(fields, ['title'], issues);
  const description = textOf(fields, ['description'], issues);
  const allowed = namesOf(fields, ['allowed_actions', 'allowed-actions', 'allowed_tools', 'allowed-tools'], issues);
  const required = namesOf(fields, ['required_actions', 'required-actions'], issues);
  const recommended = namesOf(fields, ['recommended_actions', 'recommended-actions'], issues);
  const tags = tagsOf(fields, issues);
  if (issues.length > 0) throw badRequest(issues);
  if (title !== undefined) body.title = title;
  if (description !== undefined) body.description = description;
  if (allowed) body.allowed_actions = allowed;
  if (required) body.required_actions = required;
  if (recommended) body.recommended_actions = recommended;
  if (tags) body.tags = tags;
  return body;
}

type Fields = Readonly<Record<string, unknown>>;

function frontMatter(yaml: string): Fields {
  if (Buffer.byteLength(yaml) > frontMatterBytesMax)
    throw refusedContent(`the front matter has more than ${frontMatterBytesMax} bytes`);
  let value: unknown;
  try {
    const document = parseDocument(yaml, { schema: 'core', uniqueKeys: false });
    const [fault] = document.errors;
    if (fault) throw fault;
    requireUniqueKeys(document);
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    if (error instanceof YAMLParseError || error instanceof ReferenceError)
      throw refusedContent(`the front matter is not YAML: ${firstLine(error.message)}`);
    throw error;
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refusedContent('the front matter is not a map');
  return value as Fields;
}

/** In one pass: the parser compares each key with all before it. */
function requireUniqueKeys(document: Document): void {
  visit(document, {
    Map(_key, { items }) {
      const keys = items.map(({ key }) => (isScalar(key) ? key.value : key));
      if (new Set(keys).size < keys.length)
        throw refusedContent('the front matter is not YAML: Map keys must be unique');
    },
  });
}

function textOf(fields: Fields, members: string[], issues: Issue[]): string | undefined {
  for (const member of members) {
    if (!Object.hasOwn(fields, member)) continue;
    const value = fields[member];
    if (value === null || value === undefined) continue;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
    issues.push({ path: '/content', message: `${member} is not text` });
  }
  return undefined;
}

/** A list of names, or one text with names between commas or blanks. */
function namesOf(fields: Fields, members: string[], issues: Issue[]): string[] | undefined {
  for (const member of members) {
    if (!Object.hasOwn(fields, member)) continue;
    const value = fields[member];
    if (value === null || value === undefined) continue;
    if (typeof value === 'string') return value.split(/[\s,]+/).filter((part) => part !== '');
    if (Array.isArray(value) && value.every((part) => typeof part === 'string')) return value as string[];
    issues.push({ path: '/content', message: `${member} is not a list of names` });
  }
  return undefined;
}

function tagsOf(fields: Fields, issues: Issue[]): Record<string, string> | undefined {
  if (!Object.hasOwn(fields, 'tags')) return undefined;
  const value = fields.tags;
  if (value === null || value === undefined) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    issues.push({ path: '/content', message: 'tags is not a map' });
    return undefined;
  }
  const entries = Object.entries(value as object);
  const bad = entries.find(
    ([key, inner]) =>
      key === '__proto__' || (typeof inner !== 'string' && typeof inner !== 'number' && typeof inner !== 'boolean'),
  );
  if (bad) issues.push({ path: '/content', message: `tag ${bad[0]} is not text` });
  return Object.fromEntries(entries.map(([key, inner]) => [key, String(inner)]));
}

/** A row of `#` that ends the line closes the heading and is not of it. */
function headingOf(instructions: string): string | undefined {
  const [, line] = /^#\s+(\S.*)$/m.exec(instructions) ?? [];
  if (line === undefined) return undefined;
  let end = line.length;
  while (end > 1 && line[end - 1] === '#') end -= 1;
  return line.slice(0, end).trimEnd();
}

function refusedContent(message: string) {
  return badRequest([{ path: '/content', message }]);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? text;
}
