import { Injectable } from '@nestjs/common';
import type { CatalogAction } from './catalog-action.wire.js';

/** Where actions come from: the built-ins, the custom actions of an organization. */
export interface ActionSource {
  /** Unique; registering another of the same name replaces it. */
  readonly name: string;
  /** All live actions that agents of this organization can be granted. */
  actions(orgId: string): Promise<readonly CatalogAction[]>;
  /** One by its exact name, fresh; null when there is none. */
  action(orgId: string, name: string): Promise<CatalogAction | null>;
}

/** Every action of an organization, from all sources. Sources register in their module's `onModuleInit`. */
@Injectable()
export class ActionCatalog {
  private readonly sources = new Map<string, ActionSource>();

  register(source: ActionSource): void {
    this.sources.set(source.name, source);
  }

  /** In order of name; of two with one name, the source that registered first wins. */
  async actions(orgId: string): Promise<CatalogAction[]> {
    const lists = await Promise.all([...this.sources.values()].map((source) => source.actions(orgId)));
    const byName = new Map<string, CatalogAction>();
    for (const action of lists.flat()) if (!byName.has(action.name)) byName.set(action.name, action);
    return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async action(orgId: string, name: string): Promise<CatalogAction | null> {
    for (const source of this.sources.values()) {
      const found = await source.action(orgId, name);
      if (found) return found;
    }
    return null;
  }
}
