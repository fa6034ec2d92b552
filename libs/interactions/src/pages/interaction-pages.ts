import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A page as it is sent: one document with its style and script inside, and a policy that allows these and nothing else.
 */
export interface Page {
  html: string;
  headers: Record<string, string>;
}

/** Puts a page together. Throws at the start of the process when a part is missing. */
export function loadPage(name: 'inbox' | 'answer', folder = __dirname): Page {
  const part = (file: string) => readFileSync(join(folder, file), 'utf8');
  const style = part('page.css');
  const script = `${part('common.page.js')}\n${part(`${name}.page.js`)}`;
  if (/<\/(script|style)/i.test(script + style)) throw new Error(`${name}: a part ends its own element`);
  const html = part(`${name}.html`)
    .replace('/* style */', () => style)
    .replace('/* script */', () => script);
  if (!html.includes(style) || !html.includes(script)) throw new Error(`${name}.html has no place for its parts`);
  return {
    html,
    headers: {
      'content-security-policy': [
        "default-src 'none'",
        `script-src '${digest(script)}'`,
        `style-src '${digest(style)}'`,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ].join('; '),
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  };
}

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
