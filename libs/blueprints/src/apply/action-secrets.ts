import { Injectable } from '@nestjs/common';
import { Refusal, invalidArgument, type Identity } from '@aos/kernel';
import { ActionChecks, SigningSecrets, type ActionRecord, type AnyRecord } from '@aos/definitions/published';
import type { ActionEntry } from '../resources/action-resource.js';
import { desiredAction } from '../resources/action-resource.js';
import type { RequestedResources } from '../resources/resource-kind.state.js';

/** Checks the endpoints and schemas of requested actions, and gives each new http action a secret to sign with. */
@Injectable()
export class ActionSecrets {
  constructor(
    private readonly checks: ActionChecks,
    private readonly signing: SigningSecrets,
  ) {}

  /**
   * Refuses invalid_argument {argument: endpoint} for an address that the service will not call; bad_request for a
   * schema that cannot be used.
   */
  async require(who: Identity, { actions = [] }: RequestedResources): Promise<void> {
    for (const [index, entry] of actions.entries()) {
      try {
        await this.checks.require(who, desiredAction(entry as ActionEntry), `/resources/actions/${index}`);
      } catch (error) {
        if (error instanceof Refusal && error.details.argument === 'endpoint_url')
          throw invalidArgument('endpoint', error.message.replace(/^endpoint_url: /, ''), { key: entry.key });
        throw error;
      }
    }
  }

  /** Adds the first signing secret to a new http action. No answer shows this secret; rotating it shows a new one. */
  completed(record: AnyRecord): AnyRecord {
    return record.type === 'action' ? (this.signing.first(record as ActionRecord).record as AnyRecord) : record;
  }
}
