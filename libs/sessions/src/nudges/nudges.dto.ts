import { IsOptional } from 'class-validator';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax } from '@aos/platform';
import { metadataBytesMax, metadataDepthMax } from '../session/session.limits.js';

export class NudgeDto {
  content!: string;
  idempotency_key?: string;
  wake?: boolean;

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}
