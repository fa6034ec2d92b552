export { documentKind, type DocumentKind } from './document-kind.js';
export { inUtf8 } from './in-utf8.js';
export { DocumentTexts, type DocumentReading } from './document-texts.js';
