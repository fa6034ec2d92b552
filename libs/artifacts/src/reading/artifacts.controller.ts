import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Reply } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { sendContent, wantedOf } from './sent-content.js';
import { ArtifactQueries, type ArtifactFilter } from './artifacts.queries.js';

@Controller()
export class ArtifactsController {
  constructor(private readonly artifacts: ArtifactQueries) {}

  @Get('/v1/artifacts')
  list(@Who() who: Identity, @ContractQuery() filter: ArtifactFilter): Promise<Reply<'listArtifacts'>> {
    return this.artifacts.list(who, filter);
  }

  @Get('/v1/artifacts/:artifact_id')
  one(@Who() who: Identity, @Param('artifact_id') artifactId: string): Promise<Reply<'getArtifact'>> {
    return this.artifacts.one(who, artifactId);
  }

  @Get('/v1/artifacts/:artifact_id/content')
  async content(
    @Who() who: Identity,
    @Param('artifact_id') artifactId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendContent(await this.artifacts.content(who, artifactId, wantedOf(request)), reply);
  }

  @Get('/v1/settings/artifact-storage/quota')
  quota(@Who() who: Identity): Promise<Reply<'getArtifactStorageQuota'>> {
    return this.artifacts.quota(who);
  }
}
