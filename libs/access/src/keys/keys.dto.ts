import type { Members, RequestBody } from '@aos/contract';
import { TagRules } from '@aos/platform';

export class CreateApiKeyBody implements Members<RequestBody<'createAPIKey'>> {
  name!: string;
  principal_id?: string;
  scope_role_id?: string;
  allow_unassigned_principal?: boolean;
  role?: RequestBody<'createAPIKey'>['role'];
  expires_at?: string;
  @TagRules() tags?: Record<string, string>;
}
