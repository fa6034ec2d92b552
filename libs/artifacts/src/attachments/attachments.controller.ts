import { Controller, Delete, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Schema } from '@aos/contract';
import type { Identity } from '@aos/kernel';
import { Who, sayIgnored } from '@aos/platform';
import { keyIn } from '../uploading/uploading.controller.js';
import { CreateAttachment, DeleteAttachment } from './attachments.commands.js';

@Controller()
export class AttachmentsController {
  constructor(private readonly commands: CommandBus) {}

  @Post('/v1/sessions/:session_id/attachments')
  async create(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Schema<'SessionAttachmentResponse'>> {
    const { headers, raw } = request;
    const body = { stream: raw, headers, sayIgnored: sayIgnored.bind(null, reply) };
    const input = { session_id: sessionId, body, key: keyIn(request) };
    const stored = await this.commands.execute(new CreateAttachment(who, input));
    reply.code(stored.isNew ? 201 : 200);
    return stored.attachment;
  }

  @Delete('/v1/sessions/:session_id/attachments/:artifact_id')
  async remove(
    @Who() who: Identity,
    @Param('session_id') sessionId: string,
    @Param('artifact_id') artifactId: string,
  ): Promise<void> {
    await this.commands.execute(new DeleteAttachment(who, { session_id: sessionId, artifact_id: artifactId }));
  }
}
