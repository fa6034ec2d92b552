export { documentKind, type DocumentKind } from './document-kind.js';
export { DocumentTexts, type DocumentReading } from './document-texts.js';
