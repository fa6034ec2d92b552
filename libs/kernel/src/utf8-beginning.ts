/** The text of the first bytes of UTF-8, at most so many; a character that is cut in two is left out. */
export function utf8Beginning(bytes: Uint8Array, bytesMax: number): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, bytesMax), { stream: true });
}
