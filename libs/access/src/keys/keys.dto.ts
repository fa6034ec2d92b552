import { TagRules } from '@aos/platform';
import type { SystemRoleName } from '../role/system-roles.js';

export class CreateApiKeyBody {
  name!: string;
  principal_id?: string;
  scope_role_id?: string;
  allow_unassigned_principal?: boolean;
  role?: Extract<SystemRoleName, 'Owner' | 'Admin' | 'User' | 'Viewer'>;
  expires_at?: string;
  @TagRules() tags?: Record<string, string>;
}
