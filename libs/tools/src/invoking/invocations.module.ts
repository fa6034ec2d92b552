import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { WorkModule, WriterProjections, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { invocationsProjection, openInvocationsProjection } from '../invocation/invocation.projection.js';
import { InvocationQueries } from '../records/invocations.queries.js';
import { ToolsModule } from '../tools.module.js';
import { ActionCarrier } from './action-carrier.js';
import { CallableActions } from './callable-actions.js';
import { InvocationAnswers } from './invocation-answers.js';
import { InvocationRecovery } from './invocation-recovery.js';
import { InvocationRuns } from './invocation-runs.js';
import * as invoking from './invoking.handlers.js';
import { InvokingController } from './invoking.controller.js';

/**
 * Direct invocation of actions, and the records of all executions: writes `invocation-`; belongs to where turns run.
 */
@Module({
  imports: [CqrsModule, WorkModule, AccessReadersModule, DefinitionsReadingModule, ToolsModule],
  controllers: [InvokingController],
  providers: [
    ActionCarrier,
    CallableActions,
    InvocationRuns,
    InvocationAnswers,
    InvocationRecovery,
    InvocationQueries,
    ...commandHandlersIn(invoking),
  ],
})
export class InvocationsModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(invocationsProjection);
    this.projections.register(openInvocationsProjection);
  }
}
