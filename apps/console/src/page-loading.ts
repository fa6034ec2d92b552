/** A file of a page did not come: the service is away, or has another build by now. */
export class PageNotLoaded extends Error {
  /** `file`: what the browser said, with the name of the file. */
  constructor(readonly file: string) {
    super('A file of it did not come.');
    this.name = 'PageNotLoaded';
  }
}

/** The file that the tab was last loaded anew for, by itself. */
const item = 'agent-service.loaded-anew';
const answerMs = 10_000;

/**
 * Loads a file of a page. For the browser's own error the router would load the tab anew, also while nothing answers.
 */
export function loaded<T>(load: () => Promise<T>): Promise<T> {
  return load().catch((error: unknown) => {
    throw new PageNotLoaded(String(error));
  });
}

/** Loads the tab anew where the service gives its pages. Gives false where it does not: the tab stays as it is. */
export async function loadAnew({ file }: PageNotLoaded): Promise<boolean> {
  const isServed = await fetch(location.pathname, { cache: 'no-store', signal: AbortSignal.timeout(answerMs) }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isServed) return false;
  sessionStorage.setItem(item, file);
  location.reload();
  return true;
}

/** The same without being asked: once for a file, so that one which is gone for good leads to no loop. */
export async function loadAnewOnce(error: PageNotLoaded): Promise<boolean> {
  return sessionStorage.getItem(item) === error.file || loadAnew(error);
}
