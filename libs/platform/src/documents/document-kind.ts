/** A kind of document that is read as its text (rule TE82). */
export type DocumentKind = 'html' | 'docx' | 'xlsx' | 'pptx';

const office = 'application/vnd.openxmlformats-officedocument.';
const kinds: Readonly<Record<string, DocumentKind>> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  [`${office}wordprocessingml.document`]: 'docx',
  [`${office}spreadsheetml.sheet`]: 'xlsx',
  [`${office}presentationml.presentation`]: 'pptx',
};

/** The kind of a media type; null for one whose text is not taken out. */
export function documentKind(mediaType: string): DocumentKind | null {
  const [named = ''] = mediaType.toLowerCase().split(';');
  const type = named.trim();
  return Object.hasOwn(kinds, type) ? (kinds[type] ?? null) : null;
}
