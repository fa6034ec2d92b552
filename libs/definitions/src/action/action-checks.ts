import { Inject, Injectable } from '@nestjs/common';
import { Egress, invalidArgument, type Identity } from '@aos/kernel';
import { ReleaseWrites } from '@aos/platform';
import { SchemaChecker } from '../schemas/schema-checker.js';
import type { DesiredAction } from './action.state.js';

/** What only the outside can say about an action's fields; asked by the API and by blueprints alike. */
@Injectable()
export class ActionChecks {
  constructor(
    private readonly egress: Egress,
    private readonly schemas: SchemaChecker,
    @Inject(ReleaseWrites) private readonly writes: Pick<ReleaseWrites, 'requireFeature'>,
  ) {}

  /**
   * Refuses  invalid_argument {argument: endpoint_url} for an address that the service will not call; bad_request for a
   *          schema that cannot be used, with pointers below `at`; upgrade_pending for a provider, before the name is
   *          claimed.
   * Source   controls S25, S26.
   */
  async require(who: Identity, desired: DesiredAction, at = ''): Promise<void> {
    const { endpoint_url: url, input_schema: input, output_schema: output } = desired;
    const reason = url === undefined ? null : this.egress.refusal(url);
    if (reason !== null) throw invalidArgument('endpoint_url', reason);
    await this.schemas.require(input, `${at}/input_schema`, who);
    await this.schemas.require(output, `${at}/output_schema`, who);
    if (typeof desired.provider === 'string') this.writes.requireFeature('connections');
  }
}
