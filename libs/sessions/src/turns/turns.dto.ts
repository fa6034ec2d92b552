import { IsOptional } from 'class-validator';
import type { Members, RequestBody, Schema } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, Nested, TotalUtf8BytesMax, UniqueBy, Utf8BytesMax } from '@aos/platform';
import {
  contextItemBytesMax,
  contextTotalBytesMax,
  metadataBytesMax,
  metadataDepthMax,
  outputSchemaBytesMax,
} from '../session/session.limits.js';
import { MessageMetadata } from '../turn/message-metadata.js';
import { SessionSpecDto } from '../lifecycle/lifecycle.dto.js';

/** Shapes are the contract's and are checked before; these classes hold the rules that a JSON schema cannot say. */
export class ContextItemDto implements Members<Schema<'RuntimeContext'>[number]> {
  name!: string;
  /** 8 KiB an item (rule L10). */
  @Utf8BytesMax(contextItemBytesMax)
  content!: string;
}

export class TurnInputDto implements Members<Schema<'TurnInput'>> {
  content!: Schema<'InputContentBlock'>[];
  idempotency_key?: string;

  /** Unique names, 16 KiB in sum (rule L10). */
  @IsOptional()
  @UniqueBy('name')
  @TotalUtf8BytesMax('content', contextTotalBytesMax)
  @Nested(() => ContextItemDto)
  context?: ContextItemDto[];

  @IsOptional()
  @MessageMetadata()
  metadata?: JsonObject;
}

export class OutputSpecDto implements Members<Schema<'TurnOutputSpec'>> {
  /** Rule L17. */
  @JsonBytesMax(outputSchemaBytesMax)
  schema!: JsonObject;
}

/** The flat form of the reference client carries the input's members at top level (rule T1). */
export class StartTurnDto extends TurnInputDto implements Members<RequestBody<'startTurn'>> {
  @IsOptional()
  @Nested(() => TurnInputDto)
  input?: TurnInputDto;

  role?: 'user';

  operation?: Schema<'TurnOperationPolicy'>;

  @IsOptional()
  @Nested(() => OutputSpecDto)
  output?: OutputSpecDto;
}

export class InvokeDto implements Members<RequestBody<'invokeAgent'>> {
  agent_ref!: Schema<'AgentRef'>;

  @IsOptional()
  @Nested(() => SessionSpecDto)
  session?: SessionSpecDto;

  @Nested(() => TurnInputDto)
  input!: TurnInputDto;

  operation?: Schema<'TurnOperationPolicy'>;

  @IsOptional()
  @Nested(() => OutputSpecDto)
  output?: OutputSpecDto;

  /** A member of the row's metadata (rules T29, L11). */
  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax - 1)
  channel_context?: Schema<'ChannelContext'>;
}
