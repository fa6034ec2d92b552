// Builds the page of the two addresses under /interactions: one document with its style and script inside, so that its policy
// names these two by hash, its bytes are the same for every id, and it needs nothing of the console beside it.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const page = 'interactions.html';
/** Parts without effects of their own: what a page does not use of them stays out. */
const ui = /[\\/]apps[\\/]console[\\/]src[\\/]ui[\\/]/;

/** Takes Vite's build, the console's settings for it, and a folder of its own. Gives the page. Throws when it is more than one file. */
export async function interactionsPage({ build, config, options, folder, into }) {
  const unscrolled = fileURLToPath(new URL('unscrolled.mjs', import.meta.url));
  await build({
    ...config,
    resolve: { alias: { ...config.resolve.alias, 'react-remove-scroll': unscrolled } },
    build: {
      ...options,
      outDir: into,
      rollupOptions: {
        input: join(folder, page),
        treeshake: { moduleSideEffects: (id) => !ui.test(id) },
        output: { codeSplitting: false },
      },
    },
  });
  const read = (file) => readFileSync(join(into, 'assets', file), 'utf8');
  const files = readdirSync(join(into, 'assets'));
  const [script, ...moreScripts] = files.filter((file) => file.endsWith('.js'));
  const [style, ...moreStyles] = files.filter((file) => file.endsWith('.css'));
  if (files.length !== 2 || moreScripts.length + moreStyles.length > 0) throw new Error(`${page} needs ${files}`);
  return inlined(readFileSync(join(into, page), 'utf8'), { script: read(script), style: read(style) });
}

/** Puts style and script in the place of the elements that name their files. */
function inlined(html, { script, style }) {
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error(`${page}: a part ends its element`);
  const link = /<link\b[^>]*rel="stylesheet"[^>]*>/;
  const entry = /\s*<script\b[^>]*\bsrc="[^"]+"[^>]*><\/script>/;
  if (!link.test(html) || !entry.test(html)) throw new Error(`${page} has no place for its parts`);
  return html
    .replace(entry, '')
    .replace(link, () => `<style>${style}</style>`)
    .replace('</body>', () => `<script type="module">${script}</script>\n  </body>`);
}
