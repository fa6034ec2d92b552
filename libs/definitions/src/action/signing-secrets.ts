import { Injectable } from '@nestjs/common';
import { Ids } from '@aos/kernel';
import { Sealer } from '@aos/platform';
import { secretOwner, type ActionRecord } from './action.state.js';
import { freshlySealed } from './freshly-sealed.js';

const secretBytes = 32;

/** Secrets with which calls of http actions are signed. They are stored sealed. */
@Injectable()
export class SigningSecrets {
  constructor(
    private readonly sealer: Sealer,
    private readonly ids: Ids,
  ) {}

  /** A new secret of an action, in the form that receivers know (rule R25); `seal` seals it for the version it gets. */
  made(orgId: string, actionId: string): { secret: string; seal: (version: number) => string } {
    const secret = `whsec_${Buffer.from(this.ids.randomBytes(secretBytes)).toString('base64url')}`;
    return { secret, seal: (version) => this.sealer.seal(secret, secretOwner(orgId, actionId, version)) };
  }

  /** Gives a new http action its first secret; a worker action has none. */
  first(record: ActionRecord): { record: ActionRecord; secret: string | null } {
    if (record.wire.endpoint_kind !== 'http') return { record, secret: null };
    const { secret, seal } = this.made(record.org_id, record.id);
    const signing = { version: 1, sealed: seal(1), previous: null };
    return { record: { ...record, wire: { ...record.wire, signing } }, secret };
  }

  /** The same secrets under the active master key (see `freshlySealed`). */
  renewed(record: ActionRecord): ActionRecord {
    return freshlySealed(this.sealer, record);
  }
}
