import { Injectable } from '@nestjs/common';
import { Refusal, type Identity } from '@aos/kernel';
import { lacking, type Grants } from '../catalog/grants.decide.js';
import { Granted } from './granted.js';

/** Keeps callers from handing out permissions that they do not hold (control S35). */
@Injectable()
export class Escalation {
  constructor(private readonly granted: Granted) {}

  held(who: Identity): Promise<Grants> {
    return this.granted.toHandOut(who);
  }

  /** Refuses permission_denied {permission} for the first permission that the caller lacks. */
  async refuse(who: Identity, handedOut: Iterable<string>): Promise<void> {
    const lacks = lacking(await this.held(who), handedOut);
    if (lacks !== null) throw new Refusal('permission_denied', { permission: lacks }, `you cannot grant ${lacks}`);
  }
}
