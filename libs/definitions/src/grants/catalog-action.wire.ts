import type { JsonObject } from '@aos/kernel';
import type { Owner } from '../definition/definition.events.js';

/** An action as the catalog lists it (contract, `ActionCatalogEntry`). */
export type CatalogAction = {
  /** Custom actions only. */
  id?: string;
  /** Canonical dotted name. */
  name: string;
  title?: string;
  description?: string;
  endpoint_kind: 'builtin' | 'http' | 'worker';
  integration?: string;
  source: 'platform' | 'custom';
  definition_scope: 'platform' | 'custom';
  readiness: 'ready' | 'needs_setup';
  readiness_reason?: string;
  risk: 'low' | 'medium' | 'high' | 'critical';
  annotations: JsonObject;
  input_schema?: JsonObject;
  output_schema?: JsonObject;
  endpoint_url?: string;
  invocation_format?: 'legacy' | 'signed_context_v1';
  execution?: JsonObject;
  owner?: Owner;
  visibility?: 'private' | 'organization';
};
