import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsWritingModule, ModelWarningQueries } from '@aos/definitions/published';
import { commandHandlersIn } from '@aos/platform';
import * as apply from './apply/apply.handlers.js';
import { BlueprintLocks } from './apply/blueprint-locks.js';
import { BindingQueries } from './bindings/bindings.queries.js';
import { CurrentBindings } from './bindings/current-bindings.js';
import { BlueprintsController } from './apply/blueprints.controller.js';
import * as lifecycle from './apply/lifecycle.handlers.js';
import { PlanFactsReader } from './plan/plan-facts.js';

/** Blueprints over HTTP: belongs to blueprint-service. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsWritingModule],
  controllers: [BlueprintsController],
  providers: [
    BlueprintLocks,
    CurrentBindings,
    PlanFactsReader,
    BindingQueries,
    ModelWarningQueries,
    ...commandHandlersIn(apply),
    ...commandHandlersIn(lifecycle),
  ],
})
export class BlueprintsModule {}
