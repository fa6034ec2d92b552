import { Controller, Delete, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Schema } from '@aos/contract';
import { badRequest, type Identity } from '@aos/kernel';
import { Who, sayIgnored } from '@aos/platform';
import { CreateArtifact, DeleteArtifact } from './artifacts.commands.js';

const keyMax = 255;

@Controller()
export class UploadingController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/artifacts')
  async create(
    @Who() who: Identity,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Schema<'Artifact'>> {
    const { headers, raw } = request;
    const body = { stream: raw, headers, sayIgnored: sayIgnored.bind(null, reply) };
    const stored = await this.commands.execute(new CreateArtifact(who, { body, key: keyIn(request) }));
    reply.code(stored.isNew ? 201 : 200);
    return stored.artifact;
  }

  @Delete('/v1/artifacts/:artifact_id')
  async remove(@Who() who: Identity, @Param('artifact_id') artifactId: string): Promise<void> {
    await this.commands.execute(new DeleteArtifact(who, { artifact_id: artifactId }));
  }
}

/** The header `Idempotency-Key`, 1 to 255 characters (rule G18); null without one. */
export function keyIn({ headers: { 'idempotency-key': header } }: FastifyRequest): string | null {
  const key = [header ?? ''].flat().join(', ').trim();
  if (key.length > keyMax)
    throw badRequest([{ path: 'header.Idempotency-Key', message: `at most ${keyMax} characters` }]);
  return key === '' ? null : key;
}
