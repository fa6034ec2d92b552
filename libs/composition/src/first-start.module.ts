import { Inject, Logger, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Organizations } from '@aos/access';
import { AccessModule } from '@aos/access';
import { Clock, StoreUnavailable } from '@aos/kernel';
import { FirstKey, Settings } from '@aos/platform';

/** Beside the time that the store itself tries. */
const pauseMs = 1_000;
const lineEveryMs = 60_000;

/** Makes the first organization and its Owner key before anything listens; a key made here is printed once. */
@Module({ imports: [AccessModule] })
export class FirstStartModule implements OnApplicationBootstrap {
  private readonly logger = new Logger('access');
  private saidAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly organizations: Organizations,
    @Inject(Settings) private readonly settings: Settings,
    private readonly clock: Clock,
    @Inject(FirstKey) private readonly firstKey: FirstKey | null,
  ) {}

  /** An event store that goes away meanwhile is waited for: every step may be repeated. */
  async onApplicationBootstrap(): Promise<void> {
    while (!(await this.isMade())) await this.clock.sleep(pauseMs);
  }

  private async isMade(): Promise<boolean> {
    try {
      await this.make();
      return true;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (this.clock.monotonic() - this.saidAt >= lineEveryMs) {
        this.saidAt = this.clock.monotonic();
        this.logger.warn(`the first organization waits: ${error.message}`);
      }
      return false;
    }
  }

  private async make(): Promise<void> {
    await this.organizations.ensureFirst(
      { name: this.settings.bootstrapOrg, ownerKey: this.settings.bootstrapOwnerKey },
      ({ ownerKey }) => {
        process.stdout.write(`\nOwner key of the first organization, shown this once:\n\n  export KEY=${ownerKey}\n\n`);
      },
      (orgId) => {
        this.firstKey?.offer(() => this.organizations.issueConsoleKey(orgId));
      },
    );
  }
}
