import type { ByteRange } from '../storing/artifact-bytes.js';

/**
 * The one range that a header asks for.
 *
 * Takes    the header `Range`, and how many bytes there are.
 * Gives    null for the whole: no header, another unit or form, or several ranges; `none` when no byte of it is there.
 * Source   rule TE6.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'none' | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  if (!match) return null;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return null;
  if (from === '') {
    const last = Number(to);
    return last === 0 || size === 0 ? 'none' : { from: Math.max(0, size - last), to: size - 1 };
  }
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < start) return null;
  return start >= size ? 'none' : { from: start, to: end };
}

const plainInName = /[A-Za-z0-9!#$&+.^_`|~-]/;

/** `attachment` with the name as RFC 8187 encodes it, and a plain form of it for those that do not read that. */
export function disposition(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = [...Buffer.from(name, 'utf8')]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return plainInName.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
