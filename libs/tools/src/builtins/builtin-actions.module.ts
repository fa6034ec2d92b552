import { Module } from '@nestjs/common';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { BuiltinCatalog } from './builtin-catalog.js';

/** The built-in actions in the catalog, for every process that shows or resolves it. */
@Module({ imports: [DefinitionsReadingModule], providers: [BuiltinCatalog] })
export class BuiltinActionsModule {}
