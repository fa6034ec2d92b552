import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import type { InlineStream, InlineStreams } from './inline-streams.js';
import type { TurnStart } from './turn-acks.js';
import { TurnsController } from './turns.controller.js';
import type { InvokeDto } from './turns.dto.js';
import type { TurnQueries } from './turns.queries.js';

/** A controller whose turns start at once; what it answered with. */
function started() {
  const told = { streams: [] as Partial<InlineStream>[], acknowledgements: 0, sent: [] as unknown[] };
  const start: TurnStart = {
    sessionId: 'ses_1',
    turnId: 'turn_1',
    deduped: false,
    acknowledge: () => {
      told.acknowledgements += 1;
      return Promise.resolve({ turn_id: 'turn_1' } as Awaited<ReturnType<TurnStart['acknowledge']>>);
    },
  };
  const commands = { execute: () => Promise.resolve(start) } as unknown as CommandBus;
  const streams: InlineStreams = {
    open: ({ sessionId, turnId, isNew }) => {
      told.streams.push({ sessionId, turnId, isNew });
      return Promise.resolve();
    },
  };
  const reply = {
    code: () => reply,
    send: (body: unknown) => {
      told.sent.push(body);
      return Promise.resolve();
    },
  };
  const controller = new TurnsController(commands, {} as TurnQueries, streams);
  const invoke = (accept: string) =>
    controller.invoke(
      {} as Identity,
      {} as InvokeDto,
      { headers: { accept } } as FastifyRequest,
      reply as unknown as FastifyReply,
    );
  return { told, invoke };
}

describe('the answer to a started turn', () => {
  it('is its acknowledgement', async () => {
    const { told, invoke } = started();
    await invoke('application/json');
    expect(told).toEqual({ streams: [], acknowledgements: 1, sent: [{ turn_id: 'turn_1' }] });
  });

  it('is a stream alone where one is asked for: no acknowledgement is built', async () => {
    const { told, invoke } = started();
    await invoke('text/event-stream');
    const streams = [{ sessionId: 'ses_1', turnId: 'turn_1', isNew: true }];
    expect(told).toEqual({ streams, acknowledgements: 0, sent: [] });
  });
});
