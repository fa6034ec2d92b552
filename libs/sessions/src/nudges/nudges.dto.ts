import { IsOptional } from 'class-validator';
import type { Members, RequestBody } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax } from '@aos/platform';
import { metadataBytesMax, metadataDepthMax } from '../session/session.limits.js';

export class NudgeDto implements Members<RequestBody<'nudgeSession'>> {
  content!: string;
  idempotency_key?: string;
  wake?: boolean;

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}
