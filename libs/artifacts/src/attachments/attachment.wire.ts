import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { artifactWire, type Custody } from '../artifact/artifact.wire.js';

const images: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The contract's `SessionAttachmentResponse`: the file, and the block that gives it to the agent (rule X2). */
export function attachmentWire(
  record: ArtifactRecord,
  custody: Custody,
  who: Pick<Identity, 'principalId'>,
  url: string,
): Schema<'SessionAttachmentResponse'> {
  const source = { type: 'url' as const, url };
  return {
    artifact: artifactWire(record, custody, who),
    content_block: images.has(record.mime_type)
      ? { type: 'image', source }
      : { type: 'document', source, title: record.name },
  };
}
