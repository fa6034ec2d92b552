import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { consoleFolder, digestOf, pageHeaders } from '@aos/platform';

const compressed = promisify(gzip);
const builtTitle = '<title>Inbox · Console</title>';
const titles = { inbox: 'Inbox · Console', answer: 'Question · Console' };

/**
 * A page as it is sent: one document with its style and script inside, and a policy that allows these and nothing else.
 */
export interface Page {
  html: string;
  small: Buffer;
  headers: Record<string, string>;
}

/**
 * The two pages of people, made from the one document that the console's build has for them. It is read with the first
 * request, because many processes never get one.
 */
export class InteractionPages {
  private readonly pages = new Map<keyof typeof titles, Promise<Page>>();

  /** Takes the folder of the console's build; null where it was not built. */
  constructor(private readonly folder = consoleFolder()) {}

  /** Gives null where the console was not built. Throws for a document that is not what the build makes. */
  async page(name: keyof typeof titles): Promise<Page | null> {
    const file = this.folder === null ? null : join(this.folder, 'interactions.html');
    if (file === null || !existsSync(file)) return null;
    let page = this.pages.get(name);
    if (!page) this.pages.set(name, (page = pageOf(readFileSync(file, 'utf8'), titles[name])));
    return page;
  }
}

async function pageOf(built: string, title: string): Promise<Page> {
  const html = built.replace(builtTitle, `<title>${title}</title>`);
  const script = only(html, 'script');
  const style = only(html, 'style');
  return {
    html,
    small: await compressed(html),
    ...pageHeaders({
      scripts: [digestOf(script)],
      styles: `'${digestOf(style)}'`,
      trustedTypes: true,
      cacheControl: 'no-cache',
    }),
  };
}

/** The text of the one element of this name that the document has. */
function only(html: string, name: 'script' | 'style'): string {
  const [, text, ...more] = html.split(name === 'script' ? '<script type="module">' : '<style>');
  const [own, ...rest] = (text ?? '').split(`</${name}>`);
  if (own === undefined || rest.length !== 1 || more.length > 0)
    throw new Error(`the page of interactions has not exactly one ${name}`);
  return own;
}
