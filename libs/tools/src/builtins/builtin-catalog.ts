import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Contract } from '@aos/platform';
import { ActionCatalog, type ActionSource, type CatalogAction } from '@aos/definitions/published';
import { builtinEntries } from './builtin-entries.js';

/** The catalog's source of built-in actions: the same for every organization. */
@Injectable()
export class BuiltinCatalog implements ActionSource, OnModuleInit {
  readonly name = 'builtin';
  private readonly entries: ReadonlyMap<string, CatalogAction>;

  constructor(
    private readonly catalog: ActionCatalog,
    contract: Contract,
  ) {
    this.entries = new Map(builtinEntries(contract.document.components.schemas).map((entry) => [entry.name, entry]));
  }

  onModuleInit(): void {
    this.catalog.register(this);
  }

  async actions(): Promise<readonly CatalogAction[]> {
    return [...this.entries.values()];
  }

  async action(_orgId: string, name: string): Promise<CatalogAction | null> {
    return this.entries.get(name) ?? null;
  }
}
