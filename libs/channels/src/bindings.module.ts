import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule, ModelWarningQueries } from '@aos/definitions/published';
import { BindingsController } from './bindings/bindings.controller.js';
import * as bindings from './bindings/bindings.handlers.js';
import { BindingChecks } from './bindings/binding-checks.js';
import { BindingQueries } from './bindings/bindings.queries.js';
import { BindingsReadingModule } from './bindings-reading.module.js';

/** Messaging bindings: writes `channel-`. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, BindingsReadingModule],
  controllers: [BindingsController],
  providers: [...commandHandlersIn(bindings), BindingChecks, BindingQueries, ModelWarningQueries],
})
export class BindingsModule {}
