import { IsOptional } from 'class-validator';
import type { Members, RequestBody } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax } from '@aos/platform';
import { metadataBytesMax, metadataDepthMax } from '../session/session.limits.js';
import type { SessionSpec } from '../reading/session-targets.js';

type Update = Members<RequestBody<'updateSession'>>;

/** The rules of a session spec that a JSON schema cannot say. */
export class SessionSpecDto implements SessionSpec {
  mode?: SessionSpec['mode'];
  session_key?: string;
  title?: string;
  owner?: SessionSpec['owner'];
  visibility?: SessionSpec['visibility'];
  model_override?: string;
  compaction_policy?: SessionSpec['compaction_policy'];
  retention?: SessionSpec['retention'];
  thinking_effort?: SessionSpec['thinking_effort'];

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}

export class CreateSessionDto extends SessionSpecDto implements Members<RequestBody<'createSession'>> {
  agent_id!: string;
}

export class UpdateSessionDto implements Update {
  title?: string;
  status?: Update['status'];
  compaction_policy?: Update['compaction_policy'];
  thinking_effort?: Update['thinking_effort'];

  @IsOptional()
  @JsonBytesMax(metadataBytesMax)
  @JsonDepthMax(metadataDepthMax)
  metadata?: JsonObject;
}
