import { IsOptional } from 'class-validator';
import type { Members, RequestBody } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { MessageMetadata } from '../turn/message-metadata.js';

export class NudgeDto implements Members<RequestBody<'nudgeSession'>> {
  content!: string;
  idempotency_key?: string;
  wake?: boolean;

  @IsOptional()
  @MessageMetadata()
  metadata?: JsonObject;
}
