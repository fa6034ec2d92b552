import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { commandHandlersIn } from '@aos/platform';
import { SessionsModule } from '@aos/sessions/published';
import { DeferringController } from './deferring.controller.js';
import * as deferring from './deferring.handlers.js';

/** Results that endpoints bring themselves; belongs to where turns run, beside `ToolsModule`. */
@Module({
  imports: [CqrsModule, SessionsModule],
  controllers: [DeferringController],
  providers: [...commandHandlersIn(deferring)],
})
export class DeferringModule {}
