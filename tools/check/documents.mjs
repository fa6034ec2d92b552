// Paths between backticks in the documents exist, and so does what they link to: the file, and the heading behind `#`.
import { posix } from 'node:path';

const pathPattern = /`((?:apps|libs|tools|tests|deploy|docker|docs|contract)\/[\w./-]+)`/g;
const linkPattern = /\]\(([^()\s]+)\)/g;
const elsewhere = /^[a-z][a-z+.-]*:/i;

export const name = 'documents';

export function check({ glob, read, has }) {
  return glob('{*.md,docs/**/*.md,deploy/chart/*.md}').flatMap((document) => {
    const text = read(document);
    const gone = [...text.matchAll(pathPattern)].filter(([, path]) => !has(path)).map(([, path]) => `names ${path}`);
    const broken = linksOf(text)
      .filter((link) => !isThere(document, link, { read, has }))
      .map((link) => `links to ${link}`);
    return [...gone, ...broken].map((what) => ({ where: document, what: `${what}, which is not there` }));
  });
}

/** Links of a document to other files or headings of this repository; code is not looked at. */
function linksOf(text) {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(linkPattern)].map(([, link]) => link).filter((link) => !elsewhere.test(link));
}

function isThere(document, link, { read, has }) {
  const [path, heading] = link.split('#');
  const target = path === '' ? document : posix.normalize(posix.join(posix.dirname(document), path));
  if (!has(target)) return false;
  return heading === undefined || !target.endsWith('.md') || headingsOf(read(target)).includes(heading);
}

/** Anchors of a document's headings, as GitHub makes them. */
function headingsOf(text) {
  return [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}
