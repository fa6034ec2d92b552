/** A turn failed for a reason that the caller is told (rule T12). */
export class TurnFailure extends Error {
  constructor(
    readonly errorType: string,
    message: string,
  ) {
    super(message);
  }
}
