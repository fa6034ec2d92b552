import type { Schema } from '@aos/contract';
import { CallerCommand } from '@aos/platform';
import type { UploadBody } from '../uploading/uploads.js';

export interface StoredAttachment {
  attachment: Schema<'SessionAttachmentResponse'>;
  /** False: it was there under this key. */
  isNew: boolean;
}

export class CreateAttachment extends CallerCommand<
  { session_id: string; body: UploadBody; key: string | null },
  StoredAttachment
> {}

export class DeleteAttachment extends CallerCommand<{ session_id: string; artifact_id: string }, void> {}
