import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { executeDefinition, permissionCatalog, permissionPresets, type ActionPermissionGroup } from './permissions.js';

/** Groups of the actions that a caller sees. */
export type ActionGroupsOf = (who: Identity) => Promise<readonly ActionPermissionGroup[]>;

const childrenMax = 200;

/** The live permission catalog: fixed permissions, and those of the actions that other contexts register. */
@Injectable()
export class PermissionCatalog {
  private readonly providers: ActionGroupsOf[] = [];

  /**
   * The context that owns actions registers their groups: one for each family, with the family's wildcard as its id.
   */
  register(groups: ActionGroupsOf): void {
    this.providers.push(groups);
  }

  async of(who: Identity): Promise<Schema<'PermissionCatalogResponse'>> {
    const groups = (await Promise.all(this.providers.map((provider) => provider(who)))).flat();
    const action_groups = groups.map((group) => ({ ...group, children: group.children.slice(0, childrenMax) }));
    const items = new Map(permissionCatalog.map((definition) => [definition.id, definition]));
    for (const { id, label, children } of action_groups) {
      if (!items.has(id)) items.set(id, executeDefinition(id, label, 'high'));
      for (const child of children)
        if (!items.has(child)) items.set(child, executeDefinition(child, child.slice('actions.execute.'.length)));
    }
    return { items: [...items.values()], presets: [...permissionPresets], action_groups };
  }
}
