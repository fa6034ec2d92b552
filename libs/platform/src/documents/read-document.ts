import { GrowingText, TextFull } from './growing-text.js';
import { addHtmlText } from './html-text.js';
import { DocumentFault } from './office-parts.js';
import { addDocxText, addPptxText, addXlsxText } from './office-text.js';
import type { DocumentReading, DocumentWork } from './document-texts.js';

function addText({ kind, bytes }: DocumentWork, text: GrowingText): void {
  switch (kind) {
    case 'html':
      return addHtmlText(new TextDecoder().decode(bytes), text);
    case 'docx':
      return addDocxText(bytes, text);
    case 'xlsx':
      return addXlsxText(bytes, text);
    case 'pptx':
      return addPptxText(bytes, text);
  }
}

/** Runs in a process of the document's own. */
export function read(work: DocumentWork): DocumentReading {
  const text = new GrowingText();
  try {
    addText(work, text);
  } catch (error) {
    if (error instanceof DocumentFault) return { failure: error.message };
    if (!(error instanceof TextFull)) throw error;
  }
  return { text: text.whole };
}
