import { Inject, Injectable } from '@nestjs/common';
import { Lags, Readiness, ServedApp } from '@aos/platform';

/** How a process is. Lags in milliseconds. */
export type ProcessState = { service: string; notReady: string[]; lag: Record<string, number> };

/** How this process is. */
@Injectable()
export class OwnState {
  constructor(
    @Inject(ServedApp) private readonly app: ServedApp,
    @Inject(Readiness) private readonly readiness: Readiness,
    private readonly lags: Lags,
  ) {}

  async now(): Promise<ProcessState> {
    return { service: this.app.name, notReady: Object.keys(await this.readiness.faults()).sort(), lag: this.lags.all };
  }
}
