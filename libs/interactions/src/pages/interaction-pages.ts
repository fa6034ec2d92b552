import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, pageHeaders } from '@aos/platform';

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
    ...pageHeaders({
      scripts: [digestOf(script)],
      styles: `'${digestOf(style)}'`,
      trustedTypes: true,
      cacheControl: 'no-cache',
    }),
  };
}
