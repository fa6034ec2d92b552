import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '@aos/kernel';
import { ConsolePages } from '../pages/console-pages.js';

const assetsFolder = 'assets/';
/** Their names change with their content. */
const kept = {
  headers: {
    'cache-control': 'public, max-age=31536000, immutable',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
    vary: 'accept-encoding',
  },
};

/** The console: its files, and its page at every other path (rule CO3). */
@Controller()
export class ConsoleController {
  constructor(@Inject(ConsolePages) private readonly pages: ConsolePages) {}

  @Get('/console')
  async page(@Res() reply: FastifyReply): Promise<void> {
    const { html, headers } = this.pages.page();
    await reply.headers(headers).type('text/html; charset=utf-8').send(html);
  }

  @Get('/console/*')
  async under(@Param('*') path: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const asset = this.pages.asset(path);
    if (!asset) {
      if (path.startsWith(assetsFolder)) throw notFound('path');
      return this.page(reply);
    }
    reply.headers({ ...kept.headers, etag: asset.tag });
    if (request.headers['if-none-match'] === asset.tag) return reply.code(304).send();
    reply.type(asset.type);
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.content);
    await reply.header('content-encoding', 'gzip').send(await this.pages.gzipOf(path, asset));
  }
}
