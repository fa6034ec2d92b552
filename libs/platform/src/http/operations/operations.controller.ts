import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '@aos/kernel';
import { Metrics } from '../../observability/metrics.js';
import { Contract } from '../contract/contract.js';
import { ServedApp } from '../server/served-app.js';
import { Readiness } from './readiness.js';
import { welcomeText } from './welcome.js';

/** What operators and tools ask without a key (rules G21, G22). */
@Controller()
export class OperationsController {
  private documentText: string | null = null;

  constructor(
    @Inject(ServedApp) private readonly app: ServedApp,
    @Inject(Readiness) private readonly readiness: Readiness,
    @Inject(Metrics) private readonly metrics: Metrics,
    @Inject(Contract) private readonly contract: Contract,
  ) {}

  @Get('/')
  welcome(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): string {
    if (this.app.console) {
      reply.code(302).header('location', '/console');
      return '';
    }
    reply.type('text/plain; charset=utf-8');
    return welcomeText(request.protocol, request.host, this.app.version);
  }

  @Get('/healthz')
  health() {
    return { status: 'ok', service: this.app.name, version: this.app.version };
  }

  @Get('/readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply) {
    const faults = await this.readiness.faults();
    const isReady = Object.keys(faults).length === 0;
    reply.code(isReady ? 200 : 503);
    return {
      status: isReady ? 'ok' : 'down',
      service: this.app.name,
      version: this.app.version,
      ...(isReady ? {} : { checks: faults }),
    };
  }

  @Get('/metrics')
  async measures(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    if (this.app.hasOwnMetricsPort) throw notFound('path');
    reply.type(this.metrics.contentType);
    return this.metrics.text();
  }

  @Get('/openapi.json')
  documentJson(@Res({ passthrough: true }) reply: FastifyReply): string {
    this.documentText ??= JSON.stringify(this.contract.document);
    reply.type('application/json; charset=utf-8');
    return this.documentText;
  }

  @Get('/openapi.yaml')
  documentYaml(@Res({ passthrough: true }) reply: FastifyReply): string {
    reply.type('application/yaml; charset=utf-8');
    return this.contract.yaml;
  }
}
