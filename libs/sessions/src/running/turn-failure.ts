/** A turn failed for a reason that its caller may read (rule T12). */
export class TurnFailure extends Error {
  constructor(
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}

/** Whether a signal was aborted because its turn ran out of time. Takes the signal's reason. */
export function isOutOfTime(reason: unknown): boolean {
  return reason instanceof TurnFailure && reason.errorType === 'timeout';
}
