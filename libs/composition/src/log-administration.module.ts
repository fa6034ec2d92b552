import { Module, type DynamicModule } from '@nestjs/common';
import { AccessModule } from '@aos/access';
import { ConvertLog, LogConversion } from './log-conversion.js';

/** The operator's commands for the log of one process. */
@Module({})
export class LogAdministrationModule {
  static over(convertLog: () => Promise<number>): DynamicModule {
    const provided = { provide: ConvertLog, useValue: { some: convertLog } satisfies ConvertLog };
    return { module: LogAdministrationModule, imports: [AccessModule], providers: [provided, LogConversion] };
  }
}
