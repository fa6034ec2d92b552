import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccessReadersModule } from '@aos/access/published';
import { ActionChecks, DefinitionsReadingModule, SigningSecrets } from '@aos/definitions/published';
import { commandHandlersIn } from '@aos/platform';
import * as apply from './apply/apply.handlers.js';
import { BlueprintLocks } from './apply/blueprint-locks.js';
import { ActionSecrets } from './apply/action-secrets.js';
import { BindingQueries } from './bindings/bindings.queries.js';
import { CurrentBindings } from './bindings/current-bindings.js';
import { BlueprintsController } from './apply/blueprints.controller.js';
import * as lifecycle from './apply/lifecycle.handlers.js';
import { PlanFactsReader } from './plan/plan-facts.js';

/** Blueprints over HTTP: belongs to blueprint-service. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule],
  controllers: [BlueprintsController],
  providers: [
    ActionChecks,
    SigningSecrets,
    BlueprintLocks,
    CurrentBindings,
    PlanFactsReader,
    ActionSecrets,
    BindingQueries,
    ...commandHandlersIn(apply),
    ...commandHandlersIn(lifecycle),
  ],
})
export class BlueprintsModule {}
