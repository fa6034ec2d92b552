import { Body, Controller, HttpCode, Inject, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Reply, RequestBody } from '@aos/contract';
import { Refusal } from '@aos/kernel';
import { FirstKey } from '../pages/first-key.js';

/** The link of the first start (rule CO4). Where no code is open, the pipeline answers as for an unknown path. */
@Controller()
export class FirstKeyController {
  constructor(@Inject(FirstKey) private readonly firstKey: FirstKey) {}

  @Post('/v1/console/first-key')
  @HttpCode(200)
  async exchange(
    @Body() { code }: RequestBody<'createFirstKey'>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Reply<'createFirstKey'>> {
    const issued = await this.firstKey.exchange(code);
    if (!issued) throw new Refusal('not_found', {}, 'no such path or resource');
    reply.header('cache-control', 'no-store');
    return { ...issued };
  }
}
