import { Module } from '@nestjs/common';
import { SessionsReadingModule } from '@aos/sessions/published';
import { BillingController } from './usage/billing.controller.js';
import { UsageProjector } from './usage/usage-projector.js';
import { UsageQueries } from './usage/usage.queries.js';

/** What model calls used, as rows made from the log of sessions: belongs to session-service. */
@Module({
  imports: [SessionsReadingModule],
  controllers: [BillingController],
  providers: [UsageProjector, UsageQueries],
})
export class BillingModule {}
