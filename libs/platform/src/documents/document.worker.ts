import { parentPort, workerData } from 'node:worker_threads';
import { GrowingText, TextFull } from './growing-text.js';
import { addHtmlText } from './html-text.js';
import { DocumentFault } from './office-parts.js';
import { addDocxText, addPptxText, addXlsxText } from './office-text.js';
import type { DocumentReading, DocumentWork } from './document-texts.js';

const { kind, bytes } = workerData as DocumentWork;

function addText(text: GrowingText): void {
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

function reading(): DocumentReading {
  const text = new GrowingText();
  try {
    addText(text);
  } catch (error) {
    if (error instanceof DocumentFault) return { failure: error.message };
    if (!(error instanceof TextFull)) throw error;
  }
  return { text: text.whole };
}

parentPort?.postMessage('ready');
parentPort?.postMessage(reading());
