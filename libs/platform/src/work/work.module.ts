import { Module } from '@nestjs/common';
import { Recoveries } from './recoveries.js';
import { WorkLeases } from './work-leases.js';

/** What executors of work need beside their streams. */
@Module({ providers: [WorkLeases, Recoveries], exports: [WorkLeases, Recoveries] })
export class WorkModule {}
