import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DueTimers } from '@aos/platform';
import { cleanupHandler } from '../artifact/artifact.projection.js';
import { reservationHandler } from '../quota/quota.projection.js';
import { ArtifactCleanup } from './artifact-cleanup.js';

/** Cleans up when a timer is due (rules TE3, TE4). */
@Injectable()
export class ArtifactTimers implements OnModuleInit {
  constructor(
    private readonly timers: DueTimers,
    private readonly cleanup: ArtifactCleanup,
  ) {}

  onModuleInit(): void {
    this.timers.register(cleanupHandler, (details) =>
      this.cleanup.clean(String(details.org_id), String(details.artifact_id)),
    );
    this.timers.register(reservationHandler, (details) => this.cleanup.closeReservations(String(details.org_id)));
  }
}
