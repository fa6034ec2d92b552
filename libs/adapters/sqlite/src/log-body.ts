// How the events of one append are one text in the log. The writer's thread uses it too, started by the tests as
// TypeScript whose types Node strips: nothing here needs more than that.

/** An event as the log keeps it. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  /** `schema_version` of the metadata; null where the text has it, if there is one. */
  readonly version: string | null;
  /** Sum of what else stands outside the text: 1, the metadata has `blobs: '1'`. */
  readonly flags: number;
  /** JSON text of the metadata, without what version and flags say: events of one append mostly share it. */
  readonly meta: string;
  /** JSON text. */
  readonly data: string;
}

export type StoredMeta = Pick<StoredEvent, 'version' | 'flags' | 'meta'>;

const format = '2';
const hasBlobs = 1;
const absent = '-';
const plainVersion = /^[0-9]{1,9}$/;
const separators = /[\s%]/g;

/** Takes metadata apart, so that events whose version or values differ have one text. */
export function storedMeta(meta: Record<string, string>): StoredMeta {
  const { schema_version: version, blobs, ...rest } = meta;
  if (version === undefined || !plainVersion.test(version) || (blobs !== undefined && blobs !== '1'))
    return { version: null, flags: 0, meta: JSON.stringify(meta) };
  return { version, flags: blobs === undefined ? 0 : hasBlobs, meta: JSON.stringify(rest) };
}

/** JSON text of the whole metadata. */
export function metaText({ version, flags, meta }: StoredMeta): string {
  if (version === null) return meta;
  const members = [`"schema_version":"${version}"`];
  if (meta !== '{}') members.push(meta.slice(1, -1));
  if (flags & hasBlobs) members.push('"blobs":"1"');
  return `{${members.join()}}`;
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
    lines += `\n${escaped(id)} ${escaped(type)} ${version ?? absent} ${flags} ${at}\n${data}`;
  }
  return `${format} ${metas.length}\n${metas.join('\n')}${lines}`;
}

/** Reads `bodyOf`. Throws for another text, and when it does not hold so many events. */
export function eventsOf(body: string, count: number): StoredEvent[] {
  const lines = body.split('\n');
  const metaCount = metaCountOf(lines[0]!);
  if (lines.length !== 1 + metaCount + 2 * count)
    throw new Error(`an append of ${count} events has ${lines.length} lines and ${metaCount} texts of metadata`);
  const events: StoredEvent[] = [];
  for (let at = 1 + metaCount; at < lines.length; at += 2) {
    const [id, type, version, flags, meta] = lines[at]!.split(' ');
    events.push({
      id: unescaped(id!),
      type: unescaped(type!),
      version: version === absent ? null : version!,
      flags: Number(flags),
      meta: lines[1 + Number(meta)]!,
      data: lines[at + 1]!,
    });
  }
  return events;
}

/** Ids of the events of a body, in order. */
export function idsOf(body: string): string[] {
  const lines = body.split('\n');
  const ids: string[] = [];
  for (let at = 1 + metaCountOf(lines[0]!); at < lines.length; at += 2) {
    const line = lines[at]!;
    ids.push(unescaped(line.slice(0, line.indexOf(' '))));
  }
  return ids;
}

function metaCountOf(head: string): number {
  const [found, count] = head.split(' ');
  if (found !== format) throw new Error(`an append in the log has a format that is not known: ${found}`);
  return Number(count);
}

/** A blank or a line break would end the field. */
function escaped(text: string): string {
  return text.replace(separators, encodeURIComponent);
}

function unescaped(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}
