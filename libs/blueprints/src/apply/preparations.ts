import { Injectable } from '@nestjs/common';
import type { AnyRecord } from '@aos/definitions/published';
import type { RequestedResources } from '../resources/resource-kind.js';

/** What some types need besides their fields. */
@Injectable()
export class Preparations {
  async require(_resources: RequestedResources): Promise<void> {}

  completed(record: AnyRecord): AnyRecord {
    return record;
  }
}
