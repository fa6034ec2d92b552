import type { Schema } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import type { UploadBody } from './uploads.js';

export interface StoredArtifact {
  artifact: Schema<'Artifact'>;
  /** False: it was there under this key. */
  isNew: boolean;
}

export class CreateArtifact extends CallerCommand<{ body: UploadBody; key: string | null }, StoredArtifact> {}

export class DeleteArtifact extends CallerCommand<{ artifact_id: string }, void> {}
