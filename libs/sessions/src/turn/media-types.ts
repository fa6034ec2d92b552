import { documentKind } from '@aos/platform';

type Signature = (bytes: Buffer) => boolean;

/** How bytes of a media type begin; types that are not listed are taken at their word. */
const signatures: Readonly<Record<string, Signature>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])),
  'image/jpeg': (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff,
  'image/gif': (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)),
  'image/webp': (bytes) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP',
  'application/pdf': (bytes) => bytes.toString('latin1', 0, 1024).includes('%PDF-'),
};

/** Whether bytes can be what they are said to be: an image is one of the four kinds (rule S37). */
export function isOfType(mediaType: string, kind: 'image' | 'document', bytes: Buffer): boolean {
  const matches = Object.hasOwn(signatures, mediaType) ? signatures[mediaType] : undefined;
  return matches ? matches(bytes) : kind === 'document';
}

/**
 * The media type as which a model is given a document: PDF as it is, what is text as text, and pages and office files
 * as the text that is taken out of them.
 *
 * Gives    null for a type that nothing here reads (rule TE82).
 */
export function readableAs(mediaType: string): string | null {
  const [named = ''] = mediaType.toLowerCase().split(';');
  const type = named.trim();
  if (documentKind(type) !== null) return 'text/plain';
  if (type === 'application/pdf' || type.startsWith('text/')) return type;
  return /^application\/([a-z0-9.-]+\+)?(json|xml|csv)$/.test(type) ? 'text/plain' : null;
}

/**
 * The media type of content from an address: images and PDF by their bytes, also against the declared type; text as
 * declared.
 *
 * Gives    null for content that no model is given.
 */
export function typeOfBytes(kind: 'image' | 'document', bytes: Buffer, said: string): string | null {
  const known = Object.keys(signatures).filter((type) => type.startsWith('image/') === (kind === 'image'));
  const found = known.find((type) => signatures[type]?.(bytes));
  if (found) return found;
  const readable = kind === 'document' ? readableAs(said) : null;
  return readable === 'application/pdf' ? null : readable;
}
