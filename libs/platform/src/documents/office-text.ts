import type { GrowingText } from './growing-text.js';
import { DocumentFault, numberedParts, officeParts } from './office-parts.js';
import { addSheets } from './sheet-text.js';
import { walkXml } from './xml-walk.js';

/** Parts of a Word file in the order in which they are read; some programs number them. */
const wordParts = [/^word\/document\d*\.xml$/, /^word\/footnotes\d*\.xml$/, /^word\/endnotes\d*\.xml$/];
const slide = /^ppt\/slides\/slide(\d+)\.xml$/;
const notes = /^ppt\/notesSlides\/notesSlide(\d+)\.xml$/;
/** What is no text: of a text box the same once more for older programs, and where the tab stops of a paragraph are. */
const passedOver: ReadonlySet<string> = new Set(['Fallback', 'tabs', 'tabLst']);

/** Adds the text of a Word file: its body, then its foot and end notes. Fields, links and macros are not followed. */
export function addDocxText(bytes: Uint8Array, text: GrowingText): void {
  const parts = officeParts(bytes, (name) => wordParts.some((form) => form.test(name)));
  const found = wordParts.map((form) => [...parts].find(([name]) => form.test(name))?.[1]);
  if (!found[0]) throw new DocumentFault('it is no Word file');
  for (const xml of found) addParagraphs(xml, text);
}

/** Adds the text of the slides of a presentation, then of their notes. */
export function addPptxText(bytes: Uint8Array, text: GrowingText): void {
  const parts = officeParts(bytes, (name) => slide.test(name) || notes.test(name));
  const slides = numberedParts(parts, slide);
  if (slides.length === 0) throw new DocumentFault('it is no presentation');
  for (const { number, xml } of slides) addTitled(`Slide ${number}`, xml, text);
  for (const { number, xml } of numberedParts(parts, notes)) addTitled(`Notes ${number}`, xml, text);
}

/** Adds the rows of the sheets of a workbook, cells between tabs. Formulas are shown by their last values. */
export function addXlsxText(bytes: Uint8Array, text: GrowingText): void {
  addSheets(bytes, text);
}

function addTitled(title: string, xml: Uint8Array, text: GrowingText): void {
  text.line();
  text.add(`${title}\n`);
  addParagraphs(xml, text);
}

/** Of text runs (`t`), breaks, tabs, rows of tables and paragraphs. */
function addParagraphs(xml: Uint8Array | undefined, text: GrowingText): void {
  let isRun = false;
  let cells = 0;
  let passed = 0;
  walkXml(xml, {
    open(name) {
      if (passedOver.has(name)) passed += 1;
      if (passed > 0) return;
      if (name === 't') isRun = true;
      if (name === 'tc') cells += 1;
      if (name === 'tab') text.add('\t');
      if (name === 'br' || name === 'cr') text.add('\n');
    },
    text(said) {
      if (isRun) text.add(said);
    },
    close(name) {
      if (passedOver.has(name)) passed -= 1;
      if (passed > 0) return;
      if (name === 't') isRun = false;
      if (name === 'p' && cells === 0) text.add('\n');
      if (name === 'p' && cells > 0) text.add(' ');
      if (name === 'tc') {
        cells = Math.max(0, cells - 1);
        text.add('\t');
      }
      if (name === 'tr') text.add('\n');
    },
  });
}
