/** A turn failed for a reason that its caller may read (rule T12). */
export class TurnFailure extends Error {
  constructor(
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}
