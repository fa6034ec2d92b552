import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { Organizations } from '@aos/access';
import { AccessModule } from '@aos/access';
import { Settings } from '@aos/platform';

/** Makes the first organization and its Owner key before anything listens; a key made here is printed once. */
@Module({ imports: [AccessModule] })
export class FirstStartModule implements OnApplicationBootstrap {
  constructor(private readonly organizations: Organizations, @Inject(Settings) private readonly settings: Settings) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.organizations.ensureFirst({ name: this.settings.bootstrapOrg, ownerKey: this.settings.bootstrapOwnerKey }, ({ ownerKey }) => {
      process.stdout.write(`\nOwner key of the first organization, shown this once:\n\n  export KEY=${ownerKey}\n\n`);
    });
  }
}
