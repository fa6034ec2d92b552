import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { PermissionCatalog, executePermissionOf, type ActionPermissionGroup } from '@aos/access/published';
import { ActionCatalog } from './action-catalog.js';
import { shownTo } from './tools.decide.js';
import type { CatalogAction } from './catalog-action.wire.js';

/** Tells the permission catalog which actions there are: one group for each family of names (rules A17, A19). */
@Injectable()
export class ActionPermissions implements OnModuleInit {
  constructor(
    private readonly permissions: PermissionCatalog,
    private readonly actions: ActionCatalog,
  ) {}

  onModuleInit(): void {
    this.permissions.register((who) => this.groups(who));
  }

  private async groups(who: Identity): Promise<ActionPermissionGroup[]> {
    const shown = (await this.actions.actions(who.orgId)).filter((action) => shownTo(action, who));
    return groupsOf(shown);
  }
}

/** The wildcard of each family with the permissions of its actions, by id. */
export function groupsOf(actions: readonly Pick<CatalogAction, 'name' | 'source'>[]): ActionPermissionGroup[] {
  const groups = new Map<string, ActionPermissionGroup>();
  for (const { name, source } of actions) {
    const permission = executePermissionOf(name);
    const family = permission.split('.').slice(0, 3).join('.');
    const label = family.slice('actions.execute.'.length);
    const group = groups.get(family) ?? {
      id: `${family}.*`,
      label: source === 'platform' ? 'Built-in actions' : label,
      source,
      children: [],
    };
    group.children.push(permission);
    groups.set(family, group);
  }
  for (const { children } of groups.values()) children.sort();
  return [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
