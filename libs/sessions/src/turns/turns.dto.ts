import { IsOptional } from 'class-validator';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, Nested, TotalUtf8BytesMax, UniqueBy, Utf8BytesMax } from '@aos/platform';
import {
  contextItemBytesMax,
  contextTotalBytesMax,
  metadataBytesMax,
  metadataDepthMax,
  outputSchemaBytesMax,
} from '../session/session.limits.js';
import { SessionSpecDto } from '../lifecycle/lifecycle.dto.js';

/** Shapes are the contract's and are checked before; these classes hold the rules that a JSON schema cannot say. */
export class ContextItemDto {
  name!: string;
  /** 8 KiB an item (rule L10). */
  @Utf8BytesMax(contextItemBytesMax)
  content!: string;
}

export class TurnInputDto {
  content!: JsonObject[];
  idempotency_key?: string;

  /** Unique names, 16 KiB in sum (rule L10). */
  @IsOptional()
  @UniqueBy('name')
  @TotalUtf8BytesMax('content', contextTotalBytesMax)
  @Nested(() => ContextItemDto)
  context?: ContextItemDto[];

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}

export class OutputSpecDto {
  /** Rule L17. */
  @JsonBytesMax(outputSchemaBytesMax)
  schema!: JsonObject;
}

export class OperationDto {
  timeout_seconds?: number;
}

/** The flat form of the reference client carries the input's members at top level (rule T1). */
export class StartTurnDto extends TurnInputDto {
  @IsOptional()
  @Nested(() => TurnInputDto)
  input?: TurnInputDto;

  operation?: OperationDto;

  @IsOptional()
  @Nested(() => OutputSpecDto)
  output?: OutputSpecDto;
}

export class InvokeDto {
  agent_ref!: { id?: string; name?: string };

  @IsOptional()
  @Nested(() => SessionSpecDto)
  session?: SessionSpecDto;

  @Nested(() => TurnInputDto)
  input!: TurnInputDto;

  operation?: OperationDto;

  @IsOptional()
  @Nested(() => OutputSpecDto)
  output?: OutputSpecDto;

  channel_context?: JsonObject;
}
