import { gunzipSync } from 'node:zlib';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '@aos/kernel';
import { Contract } from '../contract/contract.js';
import { withCodeSamples } from './code-samples.js';
import { loadReferencePage, type ReferencePage } from './reference-page.js';

/** The contract as a page (rule G30). It is loaded with its first request, because most processes never get one. */
@Controller()
export class ReferenceController {
  private page: ReferencePage | null = null;
  private documentText: string | null = null;

  constructor(@Inject(Contract) private readonly contract: Contract) {}

  @Get('/docs')
  async reference(@Res() reply: FastifyReply): Promise<void> {
    const { html, headers } = this.loaded();
    await reply.headers(headers).type('text/html; charset=utf-8').send(html);
  }

  @Get('/docs/reference.js')
  async program(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { programGzip, programTag } = this.loaded();
    reply.headers({
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      etag: programTag,
      vary: 'accept-encoding',
    });
    if (request.headers['if-none-match'] === programTag) return reply.code(304).send();
    reply.type('text/javascript; charset=utf-8');
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return reply.send(gunzipSync(programGzip));
    await reply.header('content-encoding', 'gzip').send(programGzip);
  }

  @Get('/docs/openapi.json')
  document(@Res({ passthrough: true }) reply: FastifyReply): string {
    this.documentText ??= JSON.stringify(withCodeSamples(this.contract));
    reply.type('application/json; charset=utf-8');
    return this.documentText;
  }

  private loaded(): ReferencePage {
    this.page ??= loadReferencePage();
    if (!this.page) throw notFound('path');
    return this.page;
  }
}
