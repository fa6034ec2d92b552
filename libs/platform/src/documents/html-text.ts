import { Parser } from 'htmlparser2';
import type { GrowingText } from './growing-text.js';

/** What is no text of the page. */
const passedOver: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object']);
const blocks: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'html li main nav ol option p pre section table tbody tfoot thead title tr ul'
  ).split(' '),
);
const pieceCharacters = 64 * 1024;

/** Adds the text of a page: no script runs, and nothing that it names is fetched. */
export function addHtmlText(html: string, text: GrowingText): void {
  let hidden = 0;
  let verbatim = 0;
  let isSpaceDue = false;
  const parser = new Parser({
    onopentagname(name) {
      if (passedOver.has(name)) hidden += 1;
      if (hidden > 0) return;
      if (name === 'pre') verbatim += 1;
      if (name === 'br') text.add('\n');
      if (!blocks.has(name)) return;
      text.line();
      isSpaceDue = false;
      if (name === 'li') text.add('- ');
    },
    onattribute(name, value) {
      if (hidden === 0 && name === 'alt' && value.trim() !== '') text.add(`[${value.trim()}]`);
    },
    ontext(said) {
      if (hidden > 0) return;
      if (verbatim > 0) {
        text.add(said);
        return;
      }
      const words = said.replace(/\s+/g, ' ');
      const isFirst = text.isLineStart;
      const kept = isFirst ? words.trimStart() : isSpaceDue ? ` ${words.trimStart()}` : words;
      isSpaceDue = kept.endsWith(' ');
      text.add(kept.trimEnd());
    },
    onclosetag(name) {
      if (passedOver.has(name)) {
        hidden = Math.max(0, hidden - 1);
        return;
      }
      if (hidden > 0) return;
      if (name === 'pre') verbatim = Math.max(0, verbatim - 1);
      if (name === 'td' || name === 'th') {
        text.add('\t');
        isSpaceDue = false;
      }
      if (blocks.has(name)) {
        text.line();
        isSpaceDue = false;
      }
    },
  });
  for (let from = 0; from < html.length; from += pieceCharacters)
    parser.write(html.slice(from, from + pieceCharacters));
  parser.end();
}
