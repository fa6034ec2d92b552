// Paths between backticks in the documents exist.
const pathPattern = /`((?:apps|libs|tools|tests|deploy|docker|docs|contract)\/[\w./-]+)`/g;

export const name = 'documents';

export function check({ glob, read, has }) {
  return glob('{README.md,docs/**/*.md}').flatMap((document) =>
    [...read(document).matchAll(pathPattern)]
      .filter(([, path]) => !has(path))
      .map(([, path]) => ({ where: document, what: `names ${path}, which is not there` })),
  );
}
