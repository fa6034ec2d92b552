import type { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound, type Identity } from '@aos/kernel';
import { ReservedSlot } from '@aos/platform';
import type { InlineStream, InlineStreams } from './inline-streams.js';
import type { TurnStart } from './turn-acks.js';
import { TurnsController } from './turns.controller.js';
import type { InvokeDto } from './turns.dto.js';
import type { TurnQueries } from './turns.queries.js';

/** A controller whose turns start at once, or are refused; what it answered with, and the slots that came back. */
function started(execute?: () => Promise<TurnStart>) {
  const seen = { returned: 0, streams: [] as Partial<InlineStream>[], acknowledgements: 0, sent: [] as unknown[] };
  const start: TurnStart = {
    sessionId: 'ses_1',
    turnId: 'turn_1',
    deduped: false,
    acknowledge: () => {
      seen.acknowledgements += 1;
      return Promise.resolve({ turn_id: 'turn_1' } as Awaited<ReturnType<TurnStart['acknowledge']>>);
    },
  };
  const commands = { execute: execute ?? (() => Promise.resolve(start)) } as unknown as CommandBus;
  const streams: InlineStreams = {
    reserve: () =>
      new ReservedSlot(() => {
        seen.returned += 1;
      }),
    open: ({ sessionId, turnId, isNew, slot }) => {
      slot.handOver();
      seen.streams.push({ sessionId, turnId, isNew });
      return Promise.resolve();
    },
  };
  const reply = {
    code: () => reply,
    send: (body: unknown) => {
      seen.sent.push(body);
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
  return { seen, invoke };
}

describe('the answer to a started turn', () => {
  it('is its acknowledgement', async () => {
    const { seen, invoke } = started();
    await invoke('application/json');
    expect(seen).toEqual({ returned: 0, streams: [], acknowledgements: 1, sent: [{ turn_id: 'turn_1' }] });
  });

  it('is a stream alone where one is asked for: no acknowledgement is built', async () => {
    const { seen, invoke } = started();
    await invoke('text/event-stream');
    const streams = [{ sessionId: 'ses_1', turnId: 'turn_1', isNew: true }];
    expect(seen).toEqual({ returned: 0, streams, acknowledgements: 0, sent: [] });
  });

  it('is a refusal where the start is refused, and the slot of its stream comes back', async () => {
    const { seen, invoke } = started(() => Promise.reject(notFound('agent')));
    await expect(invoke('text/event-stream')).rejects.toThrow('no such agent');
    expect(seen).toEqual({ returned: 1, streams: [], acknowledgements: 0, sent: [] });
  });
});
