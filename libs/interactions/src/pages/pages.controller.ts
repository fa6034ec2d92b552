import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '@aos/kernel';
import { InteractionPages, type Page } from './interaction-pages.js';

/** Pages without data: a person gives them a key, and they read the API with it. */
@Controller()
export class InteractionPagesController {
  private readonly pages = new InteractionPages();

  @Get('/interactions')
  async inboxPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await send(request, reply, await this.pages.page('inbox'));
  }

  /** The same bytes for every id. */
  @Get('/interactions/:interaction_id')
  async answerPage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await send(request, reply, await this.pages.page('answer'));
  }
}

async function send(request: FastifyRequest, reply: FastifyReply, page: Page | null): Promise<void> {
  if (page === null) throw notFound('path');
  const { html, small, headers } = page;
  reply.headers({ ...headers, vary: 'accept-encoding' }).type('text/html; charset=utf-8');
  if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(html);
  await reply.header('content-encoding', 'gzip').send(small);
}
