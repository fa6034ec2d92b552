import { Refusal, badRequest, isJsonObject, isLongerThan, type Issue, type JsonObject } from '@aos/kernel';
import { depthWithin, parseJsonBody } from '@aos/platform';
import type { ArtifactOwner, ArtifactVisibility } from '../artifact/artifact.events.js';
import { metadataBytesMax, metadataDepthMax, mimeMax, nameMax } from '../artifact/artifact.limits.js';
import type { ReceivedForm } from './multipart.js';

const unsafeInName = /[/\\\p{Cc}]/u;
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/;
/** Of a file whose type is not known. */
export const unknownType = 'application/octet-stream';

/** What the fields of an upload say, checked. */
export interface UploadFields {
  name: string;
  mimeType: string;
  /** Null: not said. */
  sizeBytes: number | null;
  metadata: JsonObject | null;
  owner?: ArtifactOwner;
  visibility?: ArtifactVisibility;
  convert: boolean;
}

/** What an operation takes of a form beside its file. */
export interface TakenFields {
  /** Else the name of its file is enough. */
  needsName: boolean;
  names: ReadonlySet<string>;
}

const commonFields = ['name', 'mime', 'size_bytes', 'convert'];
export const artifactForm: TakenFields = {
  needsName: true,
  names: new Set([...commonFields, 'metadata', 'owner', 'visibility']),
};
export const attachmentForm: TakenFields = { needsName: false, names: new Set(commonFields) };

/**
 * Takes    the form, what the operation takes of it, and a function for the names of the other fields (rule G8).
 * Refuses  bad_request for a name with `/`, `\` or a control character, or over 256 characters, and for any other field
 *          out of its form (rule TE2).
 */
export function uploadFields(
  { fields: sent, filename, partType }: ReceivedForm,
  { needsName, names }: TakenFields,
  sayIgnored?: (names: readonly string[]) => void,
): UploadFields {
  const issues: Issue[] = [];
  sayIgnored?.([...sent.keys()].filter((field) => !names.has(field)));
  const fields = new Map([...sent].filter(([field]) => names.has(field)));
  const name = fields.get('name') ?? (needsName ? undefined : (filename ?? undefined));
  if (name === undefined || name === '') issues.push({ path: '/name', message: 'is required' });
  else if (isLongerThan(name, nameMax)) issues.push({ path: '/name', message: `at most ${nameMax} characters` });
  else if (unsafeInName.test(name))
    issues.push({ path: '/name', message: 'holds no slash, backslash or control character' });
  const mimeType = (fields.get('mime') || partType || unknownType).trim();
  if (mimeType.length > mimeMax || !mediaType.test(mimeType))
    issues.push({ path: '/mime', message: `must be a media type of at most ${mimeMax} characters` });
  const size = fields.get('size_bytes');
  if (size !== undefined && !/^\d{1,15}$/.test(size))
    issues.push({ path: '/size_bytes', message: 'must be a whole number' });
  const convert = fields.get('convert') ?? 'false';
  if (convert !== 'true' && convert !== 'false') issues.push({ path: '/convert', message: 'must be true or false' });
  const visibility = fields.get('visibility');
  if (visibility !== undefined && visibility !== 'private' && visibility !== 'organization')
    issues.push({ path: '/visibility', message: 'must be private or organization' });
  const owner = ownerIn(fields.get('owner'), issues);
  const metadata = metadataIn(fields.get('metadata'), issues);
  if (issues.length > 0) throw badRequest(issues);
  return {
    name: name ?? '',
    mimeType,
    sizeBytes: size === undefined ? null : Number(size),
    metadata,
    ...(owner && { owner }),
    ...(visibility !== undefined && { visibility: visibility as ArtifactVisibility }),
    convert: convert === 'true',
  };
}

function ownerIn(text: string | undefined, issues: Issue[]): ArtifactOwner | null {
  if (text === undefined) return null;
  const { kind, id } = objectIn(text) ?? {};
  const isOwner = (kind === 'person' || kind === 'team') && (id === undefined || id === null || typeof id === 'string');
  if (isOwner) return { kind, id: id ?? null };
  issues.push({ path: '/owner', message: 'must be the JSON of an owner' });
  return null;
}

function metadataIn(text: string | undefined, issues: Issue[]): JsonObject | null {
  if (text === undefined) return null;
  const metadata = Buffer.byteLength(text) > metadataBytesMax ? null : objectIn(text);
  if (metadata && depthWithin(metadata, metadataDepthMax)) return metadata;
  issues.push({
    path: '/metadata',
    message: `must be the JSON of an object, at most ${metadataBytesMax} bytes and ${metadataDepthMax} deep`,
  });
  return null;
}

function objectIn(text: string): JsonObject | null {
  try {
    const value = parseJsonBody(Buffer.from(text));
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
