import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity, JsonObject } from '@aos/kernel';
import { ContractQuery, Who } from '@aos/platform';
import { EventStreams, type EventStreamQuery } from './event-streams.js';
import { SourceEventQueries, type EventPage } from './events.queries.js';

/** The organization's events, as pages and as a stream. */
@Controller()
export class EventsController {
  constructor(
    private readonly queries: SourceEventQueries,
    private readonly streams: EventStreams,
  ) {}

  @Get('/v1/events')
  list(@Who() who: Identity, @ContractQuery() page: EventPage): Promise<JsonObject> {
    return this.queries.list(who, page);
  }

  @Get('/v1/events/stream')
  async stream(
    @Who() who: Identity,
    @ContractQuery() query: EventStreamQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.streams.open(who, query, request, reply);
  }
}
