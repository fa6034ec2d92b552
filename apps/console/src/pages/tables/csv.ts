/** A record of a CSV text with the line it begins on. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

const formulaStart = /^'*[=+\-@\t\r]/;
const quoteNeeded = /[",\r\n]/;

/**
 * Reads CSV as RFC 4180 says it: quotes around a cell, doubled inside, and line ends of either kind. Lines without
 * anything are passed over.
 *
 * Refuses  more than `max` records, and a quote that is not closed.
 */
export function readCsv(text: string, max: number): CsvRecord[] {
  const records: CsvRecord[] = [];
  const reader = new Reader(text.startsWith('\uFEFF') ? text.slice(1) : text);
  for (let record = reader.next(); record !== null; record = reader.next()) {
    if (record.cells.length === 1 && record.cells[0] === '') continue;
    if (records.length === max) throw new RangeError(`The file has more than ${max} lines.`);
    records.push(record);
  }
  return records;
}

class Reader {
  private at = 0;
  private line = 1;

  constructor(private readonly text: string) {}

  next(): CsvRecord | null {
    if (this.at >= this.text.length) return null;
    const record: CsvRecord = { line: this.line, cells: [] };
    for (;;) {
      record.cells.push(this.text[this.at] === '"' ? this.quoted() : this.bare());
      if (this.text[this.at] !== ',') break;
      this.at += 1;
      if (this.at === this.text.length) {
        record.cells.push('');
        break;
      }
    }
    this.endLine();
    return record;
  }

  private bare(): string {
    const from = this.at;
    while (this.at < this.text.length && !/[,\r\n]/.test(this.text[this.at] ?? '')) this.at += 1;
    return this.text.slice(from, this.at);
  }

  private quoted(): string {
    const { line } = this;
    let cell = '';
    for (this.at += 1; ;) {
      const end = this.text.indexOf('"', this.at);
      if (end === -1) throw new SyntaxError(`A quote that begins on line ${line} is not closed.`);
      const part = this.text.slice(this.at, end);
      this.line += part.split('\n').length - 1;
      cell += part;
      this.at = end + 1;
      if (this.text[this.at] !== '"') return cell + this.bare();
      cell += '"';
      this.at += 1;
    }
  }

  private endLine(): void {
    if (this.text[this.at] === '\r') this.at += 1;
    if (this.text[this.at] === '\n') this.at += 1;
    this.line += 1;
  }
}

/** Writes CSV as RFC 4180 says it, with CRLF at the end of each line. */
export function csvText(records: readonly (readonly string[])[]): string {
  return records.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  return quoteNeeded.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
export function withoutFormula(text: string): string {
  return formulaStart.test(text) ? `'${text}` : text;
}

/** What `withoutFormula` was given. */
export function withFormula(text: string): string {
  return text.startsWith("'") && formulaStart.test(text) ? text.slice(1) : text;
}
