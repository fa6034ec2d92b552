import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { DurableWorkerJobs } from './durable-worker-jobs.js';
import { JobClaims } from './job-claims.js';
import { UploadLeases } from '@aos/artifacts/published';
import { JobLeases } from './job-leases.js';
import { JobOffers } from './job-offers.js';
import { openJobsProjection } from './job/job.projection.js';
import { KeptProgress } from './kept-progress.js';
import { ModelRequests } from './model-requests.js';
import { WorkerHub } from './worker-hub.js';
import { WorkerJobs } from './worker-jobs.js';
import { WorkerPresence } from './worker-presence.js';
import { WorkersController } from './workers.controller.js';

/** Workers and their jobs: writes `job-`, and belongs to where turns run. */
@Module({
  controllers: [WorkersController],
  providers: [
    WorkerPresence,
    ModelRequests,
    KeptProgress,
    { provide: WorkerJobs, useClass: DurableWorkerJobs },
    JobClaims,
    JobOffers,
    WorkerHub,
    { provide: UploadLeases, useClass: JobLeases },
  ],
  exports: [WorkerJobs, UploadLeases],
})
export class WorkersModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(openJobsProjection);
  }
}
