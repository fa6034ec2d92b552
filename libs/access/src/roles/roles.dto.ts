import { TagRules } from '@aos/platform';

export class CreateRoleBody {
  name!: string;
  description?: string;
  permissions!: string[];
  @TagRules() tags?: Record<string, string>;
}

export class UpdateRoleBody {
  description?: string;
  permissions?: string[];
  @TagRules() tags?: Record<string, string>;
}
