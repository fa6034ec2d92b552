import type { Identity } from '@aos/kernel';

/** A file of the service as a model is given it. */
export interface MediaFile {
  sizeBytes: number;
  mediaType: string;
  /** All of it; null when the store has lost a part. Rejects with `StoreUnavailable` when it does not answer. */
  read(): Promise<Buffer | null>;
  /** The text that was taken out of it ahead (rule TE83); absent: none was. */
  text?: () => Promise<Buffer | null>;
}

/**
 * Files of the service that a caller's own input refers to by their address (rule TE8). Provided by a global module;
 * without one no address is ours.
 */
export abstract class FileMedia {
  /** The file that an address of exactly our form names; null for any other address. */
  abstract artifactAt(url: string): string | null;
  /** Whether the caller sees the file now. */
  abstract isVisible(who: Identity, artifactId: string): Promise<boolean>;
  /** Null: it is gone. Rejects with `StoreUnavailable` when the log does not answer. */
  abstract find(orgId: string, artifactId: string): Promise<MediaFile | null>;
}
