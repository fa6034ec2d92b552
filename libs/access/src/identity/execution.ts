import { Injectable } from '@nestjs/common';
import type { Identity } from '@aos/kernel';
import { coversExecute, executePermissionOf } from '../catalog/grants.decide.js';
import { Granted } from './granted.js';

/** Says whether a caller may execute an action directly (rules A19, A24). It grants no connection. */
@Injectable()
export class Execution {
  constructor(private readonly granted: Granted) {}

  async mayExecute(who: Identity, actionName: string): Promise<boolean> {
    return coversExecute((await this.granted.of(who)).execute, executePermissionOf(actionName));
  }
}
