import type { Members, RequestBody } from '@aos/contract';
import type { JsonObject } from '@aos/kernel';
import { JsonBytesMax, JsonDepthMax, TagRules } from '@aos/platform';

const metadataBytesMax = 16 * 1024;
const metadataDepthMax = 8;

export class CreatePrincipalBody implements Members<RequestBody<'createPrincipal'>> {
  name!: string;
  kind?: 'service' | 'worker' | 'human';
  description?: string;
  email?: string;
  owner_id?: string;
  /** Rule L11. */
  @JsonBytesMax(metadataBytesMax) @JsonDepthMax(metadataDepthMax) metadata?: JsonObject;
  role_ids?: string[];
  @TagRules() tags?: Record<string, string>;
}

export class UpdatePrincipalBody implements Members<RequestBody<'updatePrincipal'>> {
  description?: string;
  state?: 'active' | 'disabled';
  owner_id?: string;
  email?: string;
  @JsonBytesMax(metadataBytesMax) @JsonDepthMax(metadataDepthMax) metadata?: JsonObject;
  role_ids?: string[];
  @TagRules() tags?: Record<string, string>;
}
