import { Injectable } from '@nestjs/common';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ReturnOrigins } from './return-origins.js';

@Injectable()
export class ReturnOriginQueries {
  constructor(private readonly returnOrigins: ReturnOrigins) {}

  async read({ orgId }: Identity): Promise<Reply<'getOAuthReturnOrigins'>> {
    return { origins: [...(await this.returnOrigins.of(orgId))] };
  }
}
