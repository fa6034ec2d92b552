import { Injectable } from '@nestjs/common';
import { invalidArgument, type Identity } from '@aos/kernel';
import { PrincipalReader } from '@aos/access/published';
import type { ConnectionGrants, ConnectionRecord } from '../connection/connection.events.js';

/** What grants of a connection say, worked out when they are given. */
@Injectable()
export class Grantees {
  constructor(private readonly principals: PrincipalReader) {}

  /** Refuses invalid_argument {argument: principal_ids} for a principal that is not there for the caller. */
  async of(
    who: Identity,
    _connection: ConnectionRecord,
    { principal_ids: ids, everyone }: Pick<ConnectionGrants, 'principal_ids' | 'everyone'>,
  ): Promise<ConnectionGrants> {
    for (const id of ids)
      if (!(await this.principals.findFor(who, id)))
        throw invalidArgument('principal_ids', 'no such principal', { reason: 'unknown_principal', principal_id: id });
    return { principal_ids: [...ids], everyone, actions: [] };
  }
}
