const schemes = new Set(['http:', 'https:', 'mailto:']);

/** Where a link of a text may lead: a whole address of the web or of mail. Null for all else. */
export function safeHref(address: string): string | null {
  const text = address.trim();
  if (!URL.canParse(text)) return null; // no address, or one without a scheme
  const url = new URL(text);
  return schemes.has(url.protocol) ? url.href : null;
}
