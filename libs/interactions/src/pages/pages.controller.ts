import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { loadPage, type Page } from './interaction-pages.js';

/** Pages without data: a person gives them a key, and they read the API with it. */
@Controller()
export class InteractionPagesController {
  private readonly inbox = loadPage('inbox');
  private readonly answer = loadPage('answer');

  @Get('/interactions')
  async inboxPage(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.inbox);
  }

  /** The same bytes for every id. */
  @Get('/interactions/:interaction_id')
  async answerPage(@Res() reply: FastifyReply): Promise<void> {
    await send(reply, this.answer);
  }
}

async function send(reply: FastifyReply, { html, headers }: Page): Promise<void> {
  await reply.headers(headers).type('text/html; charset=utf-8').send(html);
}
