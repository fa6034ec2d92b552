// How the events of one append are one text in the log. The writer's thread uses it too, started by the tests as
// TypeScript whose types Node strips: nothing here needs more than that.

/** Metadata as the log keeps it. */
export interface StoredMeta {
  /** `schema_version`; null where the text has it, if there is one. */
  readonly version: string | null;
  /** Sum of what else stands outside the text: 1, the metadata has `blobs: '1'`. */
  readonly flags: number;
  /** The rest, in short form, or as JSON: events of one append mostly share it. */
  readonly meta: string;
}

/** An event as the log keeps it. */
export interface StoredEvent extends StoredMeta {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
}

type Meta = Record<string, string>;

const format = '2';
const hasBlobs = 1;
const absent = '-';
/** Begins an id that is no UUID. */
const plainId = '=';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const plainVersion = /^[0-9]{1,9}$/;
/** Printable, and without what would be escaped. */
const simpleValue = /^[!-$&-~]*$/;
const plainValue = /^[\x20-\x7e]*$/;
const separator = /[\s%]/;
const separators = /[\s%]/g;

/** Members of metadata and their letters in the log. A letter is never changed and never used again. */
const letters: readonly (readonly [letter: string, member: string])[] = [
  ['o', 'org_id'],
  ['p', 'principal_id'],
  ['k', 'principal_kind'],
  ['r', 'request_id'],
  ['t', 'recorded_at'],
  ['a', 'api_key_id'],
  ['i', 'ip'],
  ['c', 'correlation_id'],
  ['u', 'causation_id'],
];
const letterOf = new Map(letters.map(([letter, member]) => [member, letter]));
const memberOf = new Map(letters);

/** Takes metadata apart, so that events whose version or values differ have one text. */
export function storedMeta(meta: Meta): StoredMeta {
  const { schema_version: version, blobs } = meta;
  if (version === undefined || !plainVersion.test(version) || (blobs !== undefined && blobs !== '1'))
    return { version: null, flags: 0, meta: JSON.stringify(meta) };
  const flags = blobs === undefined ? 0 : hasBlobs;
  const short = shortForm(meta);
  if (short !== null) return { version, flags, meta: short };
  const { schema_version: _version, blobs: _blobs, ...rest } = meta;
  return { version, flags, meta: JSON.stringify(rest) };
}

/** The whole metadata again; what it gives is shared and must not be changed. */
export function metaOf({ version, flags, meta }: StoredMeta): Meta {
  const rest = read(meta);
  if (version === null) return rest;
  return flags & hasBlobs ? { schema_version: version, ...rest, blobs: '1' } : { schema_version: version, ...rest };
}

/** Texts read last, with what they say: a dozen readers follow each append, some of them some hundred appends later. */
const readTexts = new Map<string, Meta>();
const readTextsMax = 512;

function read(text: string): Meta {
  const known = readTexts.get(text);
  if (known) return known;
  const own = detached(text);
  const meta = own.startsWith('{') ? (JSON.parse(own) as Meta) : longForm(own);
  if (readTexts.size >= readTextsMax) readTexts.clear();
  readTexts.set(own, meta);
  return meta;
}

/** A copy of a part of an append's text: the part itself holds the whole text in memory for as long as it lives. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** Types of events: there are some hundred. */
const readTypes = new Map<string, string>();
const readTypesMax = 2000;

/** One text for each type: what is kept of an event holds nothing of its append. */
function typeOf(field: string): string {
  const known = readTypes.get(field);
  if (known !== undefined) return known;
  const own = detached(field);
  const type = unescaped(own);
  if (readTypes.size >= readTypesMax) readTypes.clear();
  readTypes.set(own, type);
  return type;
}

/** Fields of a letter and a value, of all but version and values; null when a member has no letter, or is not plain. */
function shortForm(meta: Meta): string | null {
  let text = '';
  for (const member of Object.keys(meta)) {
    if (member === 'schema_version' || member === 'blobs') continue;
    const value = meta[member]!;
    const letter = letterOf.get(member);
    const isSimple = simpleValue.test(value);
    if (letter === undefined || !(isSimple || plainValue.test(value))) return null;
    text += `${text === '' ? '' : ' '}${letter}${isSimple ? value : escaped(value)}`;
  }
  return text;
}

function longForm(text: string): Meta {
  const meta: Meta = {};
  for (const field of text === '' ? [] : text.split(' ')) {
    const member = memberOf.get(field[0]!);
    if (member === undefined) throw new Error(`metadata in the log has a member that is not known: ${field[0]}`);
    meta[member] = unescaped(field.slice(1));
  }
  return meta;
}

/**
 * Lines: the format and the number of metadata texts, those texts, then for each event a line with id, type, version,
 * flags and the number of its metadata, and a line of its data. JSON text has no raw line break.
 */
export function bodyOf(events: readonly StoredEvent[]): string {
  const metas: string[] = [];
  let lines = '';
  for (const { id, type, version, flags, meta, data } of events) {
    let at = metas.lastIndexOf(meta);
    if (at < 0) at = metas.push(meta) - 1;
    lines += `\n${idField(id)} ${escaped(type)} ${version ?? absent} ${flags} ${at}\n${data}`;
  }
  return `${format} ${metas.length}\n${metas.join('\n')}${lines}`;
}

/** An event of a body. Most readers of the log look at no id, which costs as much to write out as all else. */
class EventOfBody implements StoredEvent {
  readonly type: string;
  readonly version: string | null;
  readonly flags: number;
  readonly meta: string;
  readonly data: string;
  private readonly field: string;

  constructor(lines: readonly string[], at: number) {
    const [id, type, version, flags, meta] = lines[at]!.split(' ');
    this.field = id!;
    this.type = typeOf(type!);
    this.version = version === absent ? null : version!;
    this.flags = Number(flags);
    this.meta = lines[1 + Number(meta)]!;
    this.data = lines[at + 1]!;
  }

  get id(): string {
    return idOf(this.field);
  }
}

/** Reads `bodyOf`. Throws for another text, and when it does not hold so many events. */
export function eventsOf(body: string, count: number): StoredEvent[] {
  const lines = body.split('\n');
  const metaCount = metaCountOf(lines[0]!);
  if (lines.length !== 1 + metaCount + 2 * count)
    throw new Error(`an append of ${count} events has ${lines.length} lines and ${metaCount} texts of metadata`);
  const events: StoredEvent[] = [];
  for (let at = 1 + metaCount; at < lines.length; at += 2) events.push(new EventOfBody(lines, at));
  return events;
}

/** Ids of the events of a body, in order. */
export function idsOf(body: string): string[] {
  const lines = body.split('\n');
  const ids: string[] = [];
  for (let at = 1 + metaCountOf(lines[0]!); at < lines.length; at += 2) {
    const line = lines[at]!;
    ids.push(idOf(line.slice(0, line.indexOf(' '))));
  }
  return ids;
}

function metaCountOf(head: string): number {
  const [found, count] = head.split(' ');
  if (found !== format) throw new Error(`an append in the log has a format that is not known: ${found}`);
  return Number(count);
}

const bytesOfId = Buffer.alloc(16);

/** A UUID is 22 characters. */
function idField(id: string): string {
  if (!uuid.test(id)) return plainId + escaped(id);
  bytesOfId.write(id.replaceAll('-', ''), 'hex');
  return bytesOfId.toString('base64url');
}

function idOf(field: string): string {
  if (field.startsWith(plainId)) return unescaped(field.slice(1));
  const hex = Buffer.from(field, 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A blank or a line break would end the field. */
function escaped(text: string): string {
  return separator.test(text) ? text.replace(separators, encodeURIComponent) : text;
}

function unescaped(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}
