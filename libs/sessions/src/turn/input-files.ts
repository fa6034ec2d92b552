import { Injectable, Optional } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import type { Block, RowFile } from '../session/session.events.js';
import { FileMedia } from './file-media.js';

/** What the addresses of a caller's message refer to. */
export interface InputFileReferences {
  /** By the index of their block. */
  files: RowFile[];
  /** One of them is out of the caller's reach, or is not there. */
  hasUnseen: boolean;
}

/** Resolves addresses of our own files in what a caller sends (rule TE8). */
@Injectable()
export class InputFiles {
  constructor(@Optional() private readonly media?: FileMedia) {}

  /** Takes checked blocks. Addresses of any other form are left as they are: a model call asks them. */
  async of(who: Identity, content: readonly Block[]): Promise<InputFileReferences> {
    const { media } = this;
    const files: RowFile[] = [];
    if (!media) return { files, hasUnseen: false };
    for (const [index, block] of content.entries()) {
      const url = block.type === 'image' || block.type === 'document' ? addressIn(block) : null;
      const artifactId = url === null ? null : media.artifactAt(url);
      if (artifactId !== null) files.push({ index, artifact_id: artifactId });
    }
    const wanted = [...new Set(files.map((file) => file.artifact_id))];
    const seen = await Promise.all(wanted.map((artifactId) => media.isVisible(who, artifactId)));
    return { files, hasUnseen: seen.includes(false) };
  }
}

function addressIn({ source }: Block): string | null {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return null;
  return source.type === 'url' && typeof source.url === 'string' ? source.url : null;
}
