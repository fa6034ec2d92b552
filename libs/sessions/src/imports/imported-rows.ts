import { Inject, Injectable } from '@nestjs/common';
import { badRequest, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Contract, Validators } from '@aos/platform';
import type { Block } from '../session/session.events.js';
import { mediaBlocksMax } from '../session/session.limits.js';
import { InputFiles } from '../turn/input-files.js';
import { unseenFile } from '../turn/start.decide.js';
import { checkInputContent } from '../turn/turn-input.js';
import type { ImportedRow } from './imports.decide.js';
import type { ImportedMessageDto } from './imports.dto.js';

/** Checks rows from elsewhere, whose blocks the schema of the body leaves open. */
@Injectable()
export class ImportedRows {
  private readonly forms: Pick<Validators, 'checkPart'>;

  constructor(
    @Inject(Contract) contract: Contract,
    private readonly inputFiles: InputFiles,
  ) {
    this.forms = Validators.of(contract);
  }

  async of(who: Identity, messages: readonly ImportedMessageDto[]): Promise<ImportedRow[]> {
    const rows: ImportedRow[] = [];
    for (const [index, message] of messages.entries()) {
      const content = importedContent(this.forms, message.content, `/messages/${index}/content`);
      const { files, hasUnseen } = await this.inputFiles.of(who, content);
      if (hasUnseen) throw unseenFile();
      rows.push({
        role: message.role,
        content,
        files,
        metadata: message.metadata ?? null,
        createdAt: message.created_at === undefined ? null : rfc3339(Date.parse(message.created_at)),
      });
    }
    return rows;
  }
}

/**
 * Checks the blocks of a row, and those in its tool results, as they are read again.
 *
 * Refuses  as `checkInputContent`; bad_request for a block that is none of the contract's `ContentBlock`, and for a
 *          `reminder` in a tool result; invalid_argument for a source that is not resolved.
 * Source   rules L4, L20, S35, S37, S44, S46.
 */
function importedContent(forms: Pick<Validators, 'checkPart'>, content: readonly JsonObject[], path: string): Block[] {
  for (const [index, block] of content.entries()) forms.checkPart('ContentBlock', block, `${path}/${index}`);
  const checked = checkInputContent(content, path) ?? [];
  if (mediaIn(checked, path) > mediaBlocksMax)
    throw badRequest([{ path, message: `at most ${mediaBlocksMax} images and documents in a message` }]);
  return checked;
}

/** Counts images and documents, also those in tool results, which it checks. */
function mediaIn(content: readonly Block[], path: string): number {
  let media = 0;
  for (const [index, block] of content.entries()) {
    if (block.type === 'image' || block.type === 'document') media += 1;
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) continue;
    const at = `${path}/${index}/content`;
    const inner = block.content as JsonObject[];
    const reminder = inner.findIndex(({ type }) => type === 'reminder');
    if (reminder >= 0)
      throw badRequest([{ path: `${at}/${reminder}/type`, message: 'reminder is written by the service' }]);
    media += mediaIn(checkInputContent(inner, at) ?? [], at);
  }
  return media;
}
