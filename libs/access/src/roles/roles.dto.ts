import type { Members, RequestBody } from '@aos/contract';
import { TagRules } from '@aos/platform';

export class CreateRoleBody implements Members<RequestBody<'createRole'>> {
  name!: string;
  description?: string;
  permissions!: string[];
  @TagRules() tags?: Record<string, string>;
}

export class UpdateRoleBody implements Members<RequestBody<'updateRole'>> {
  description?: string;
  permissions?: string[];
  @TagRules() tags?: Record<string, string>;
}
