import { IsOptional } from 'class-validator';
import type { Members, RequestBody, Schema } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { Nested } from '@aos/platform';
import { MessageMetadata } from '../turn/message-metadata.js';

type Imported = Members<Schema<'AppendSessionMessage'>>;

export class ImportedMessageDto implements Imported {
  role!: Imported['role'];
  content!: JsonObject[];
  created_at?: string;

  @IsOptional()
  @MessageMetadata()
  metadata?: JsonObject;
}

export class ImportMessagesDto implements Members<RequestBody<'appendSessionMessages'>> {
  @Nested(() => ImportedMessageDto)
  messages!: ImportedMessageDto[];

  token_input_total?: number;
  token_output_total?: number;
  cache_read_input_total?: number;
  cache_creation_input_total?: number;
}
