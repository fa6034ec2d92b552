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
import type { PolicyInput } from '../session/lifecycle.decide.js';

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

export class SessionSpecDto {
  mode?: 'continue_or_create' | 'continue' | 'new';
  session_key?: string;
  title?: string;
  owner?: { kind: 'person' | 'team'; id?: string | null };
  visibility?: 'private' | 'organization';
  model_override?: string;
  compaction_policy?: PolicyInput;
  retention?: { mode: 'standard' | 'bounded'; ttl_seconds?: number };
  thinking_effort?: string;

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}

export class CreateSessionDto extends SessionSpecDto {
  agent_id!: string;
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

export class UpdateSessionDto {
  title?: string;
  status?: 'active' | 'archived' | 'deleted';
  compaction_policy?: PolicyInput;
  thinking_effort?: string;

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}
