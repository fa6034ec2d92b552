/** Where a page or an XML document says in which charset it is. */
const declaringBytesMax = 1024;
const marks: readonly (readonly [charset: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * The bytes of a text in UTF-8: read in the charset of its byte order mark, else in that of its media type, else in the
 * one that a page or an XML document names itself.
 *
 * Gives    the bytes as they are when nothing names another charset that is known.
 */
export function inUtf8(mediaType: string, bytes: Uint8Array): Uint8Array {
  const mark = marks.find(([, begin]) => begin.every((byte, index) => bytes[index] === byte));
  const charset = mark?.[0] ?? charsetOf(mediaType) ?? declaredIn(mediaType, bytes);
  const decoder = charset === null ? null : decoderOf(charset);
  if (!decoder) return bytes;
  if (decoder.encoding === 'utf-8') return mark ? bytes.subarray(mark[1].length) : bytes;
  return Buffer.from(decoder.decode(bytes));
}

function charsetOf(mediaType: string): string | null {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(mediaType)?.[1] ?? null;
}

/** What is read so far as ASCII cannot be UTF-16, whatever it says. */
function declaredIn(mediaType: string, bytes: Uint8Array): string | null {
  if (!/\b(html|xml)\b/i.test(mediaType)) return null;
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, declaringBytesMax)).toString(
    'latin1',
  );
  const named =
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/i.exec(begin)?.[1] ??
    /<meta\s[^>]*?charset\s*=\s*["']?([\w.:-]+)/i.exec(begin)?.[1];
  return named === undefined || /^utf-?16/i.test(named) ? null : named;
}

/** Null for a charset that there is not. */
function decoderOf(charset: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(charset);
  } catch {
    return null; // it refuses a name that it does not know, and nothing else
  }
}
