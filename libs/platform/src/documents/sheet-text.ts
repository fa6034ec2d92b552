import { emptyCellsMax, entriesMax, textBytesMax } from './document.limits.js';
import type { GrowingText } from './growing-text.js';
import { DocumentFault, numberedParts, officeParts } from './office-parts.js';
import { walkXml } from './xml-walk.js';

const sheet = /^xl\/worksheets\/sheet(\d+)\.xml$/;
const workbook = 'xl/workbook.xml';
const relations = 'xl/_rels/workbook.xml.rels';
const strings = 'xl/sharedStrings.xml';

/** Adds the rows of each sheet under its name. Refuses `DocumentFault`. */
export function addSheets(bytes: Uint8Array, text: GrowingText): void {
  const parts = officeParts(bytes, (name) => [workbook, relations, strings].includes(name) || sheet.test(name));
  const sheets = numberedParts(parts, sheet);
  if (sheets.length === 0) throw new DocumentFault('it is no workbook');
  const shared = sharedStrings(parts.get(strings));
  const names = sheetNames(parts.get(workbook), parts.get(relations));
  for (const { number, xml } of sheets) {
    text.line();
    text.add(`${names.get(number) ?? `Sheet ${number}`}\n`);
    addRows(xml, shared, text);
  }
}

/** By the number in the name of the sheet's part. */
function sheetNames(book: Uint8Array | undefined, rels: Uint8Array | undefined): ReadonlyMap<number, string> {
  const targets = new Map<string, number>();
  walkXml(rels, {
    open(name, { Id, Target }) {
      const number = /sheet(\d+)\.xml$/.exec(Target ?? '')?.[1];
      if (name !== 'Relationship' || Id === undefined || number === undefined || targets.size >= entriesMax) return;
      targets.set(Id, Number(number));
    },
  });
  const names = new Map<number, string>();
  walkXml(book, {
    open(name, attributes) {
      const number = targets.get(attributes['r:id'] ?? '');
      if (name === 'sheet' && number !== undefined && attributes['name']) names.set(number, attributes['name']);
    },
  });
  return names;
}

const chunkStrings = 4_096;

/** In chunks, so that no array of them is large at once: there may be millions. */
class SharedStrings {
  private readonly chunks: string[][] = [];
  private last: string[] = [];

  add(text: string): void {
    if (this.chunks.length === 0 || this.last.length === chunkStrings) {
      this.last = [];
      this.chunks.push(this.last);
    }
    this.last.push(text);
  }

  /** Empty for a place that there is not. */
  at(index: number): string {
    return this.chunks[Math.floor(index / chunkStrings)]?.[index % chunkStrings] ?? '';
  }
}

function sharedStrings(xml: Uint8Array | undefined): SharedStrings {
  const found = new SharedStrings();
  let current = '';
  let isText = false;
  let phonetic = 0;
  walkXml(xml, {
    open(name) {
      if (name === 'si') current = '';
      if (name === 'rPh') phonetic += 1;
      isText = name === 't' && phonetic === 0;
    },
    text(said) {
      if (isText && current.length < textBytesMax) current += said;
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') phonetic -= 1;
      if (name === 'si') found.add(current);
    },
  });
  return found;
}

function addRows(xml: Uint8Array, shared: SharedStrings, text: GrowingText): void {
  let type = '';
  let value = '';
  let isValue = false;
  let column = 0;
  walkXml(xml, {
    open(name, attributes) {
      if (name === 'row') column = 0;
      if (name === 'c') {
        type = attributes['t'] ?? '';
        value = '';
        const at = columnOf(attributes['r'] ?? '') ?? column + 1;
        if (at > column) text.add('\t'.repeat(Math.min(at - column - (column === 0 ? 1 : 0), emptyCellsMax)));
        column = at;
      }
      isValue = name === 'v' || name === 't';
    },
    text(said) {
      if (isValue && value.length < textBytesMax) value += said;
    },
    close(name) {
      isValue = false;
      if (name === 'c') text.add(type === 's' ? shared.at(Number(value)) : value);
      if (name === 'row') text.add('\n');
    },
  });
}

/** From 1; null where the cell does not say it. */
function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
