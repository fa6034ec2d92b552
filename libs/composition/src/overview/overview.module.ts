import { Module, type DynamicModule } from '@nestjs/common';
import { InteractionsReadingModule } from '@aos/interactions/published';
import { OverviewController } from './overview.controller.js';
import { ExpectedServices, OverviewQueries } from './overview.queries.js';

/** What goes on now, as one process of the fleet answers it for all. */
@Module({ imports: [InteractionsReadingModule], controllers: [OverviewController], providers: [OverviewQueries] })
export class OverviewModule {
  /** Takes the names of the processes that a fleet has. */
  static of(names: readonly string[]): DynamicModule {
    return {
      module: OverviewModule,
      providers: [{ provide: ExpectedServices, useValue: new ExpectedServices(names) }],
    };
  }
}
