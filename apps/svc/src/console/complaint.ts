/** Exit codes of the program; `docs/CLI.md` documents them. */
export const exitCodes = { done: 0, failed: 1, usage: 2, changes: 2, stale: 3 } as const;

/**
 * What the program has to say when it cannot do what was asked: what is wrong, and lines that say what to do next. It
 * goes to standard error.
 */
export class Complaint extends Error {
  readonly next: readonly string[];
  readonly exitCode: number;

  constructor(message: string, next: readonly string[] = [], exitCode: number = exitCodes.failed) {
    super(message);
    this.name = 'Complaint';
    this.next = next;
    this.exitCode = exitCode;
  }
}

/** What was typed cannot be understood: exit code 2. */
export function usageComplaint(message: string, ...next: string[]): Complaint {
  return new Complaint(message, next, exitCodes.usage);
}

/** The text of whatever was thrown. */
export function messageIn(error: unknown): string {
  if (error instanceof Error) return error.message;
  return String(error);
}
