/** New names and random bits. */
export abstract class Ids {
  /** 26 characters that sort by time of making. */
  abstract ulid(): string;
  abstract uuid(): string;
  abstract randomBytes(count: number): Uint8Array;
}
