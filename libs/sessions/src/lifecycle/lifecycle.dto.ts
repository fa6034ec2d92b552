import { IsOptional } from 'class-validator';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax } from '@aos/platform';
import { metadataBytesMax, metadataDepthMax } from '../session/session.limits.js';
import type { SessionSpec } from '../reading/session-targets.js';
import type { PolicyInput } from '../session/lifecycle.decide.js';

/** The rules of a session spec that a JSON schema cannot say. */
export class SessionSpecDto implements SessionSpec {
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
