import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { sendContent, wantedOf } from '../reading/sent-content.js';
import { SignedContentQueries } from './signed-content.queries.js';

@Controller()
export class SigningController {
  constructor(private readonly signed: SignedContentQueries) {}

  @Post('/v1/artifacts/:artifact_id/signed-url')
  make(
    @Who() who: Identity,
    @Param('artifact_id') artifactId: string,
    @ContractQuery('ttl_seconds') ttlSeconds: number | undefined,
  ): Promise<Reply<'createArtifactSignedUrl'>> {
    return this.signed.make(who, artifactId, ttlSeconds);
  }

  /** Needs no key: the token stands for one. */
  @Get('/v1/signed/:token')
  async content(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendContent(await this.signed.content(token, request.id, wantedOf(request)), reply);
  }
}
