import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '@aos/kernel';
import { Decisions, Reactors, type Reactor } from '@aos/platform';
import type { TurnRecord } from '@aos/sessions/published';
import { exchangeKind } from '../exchange/exchange.state.js';
import { ExchangeIntake } from './exchange-intake.js';
import { ReplySender } from './reply-sender.js';

const takeoverMs = 5000;
const finals: ReadonlySet<string> = new Set(['TurnCompleted', 'TurnFailed', 'TurnCancelled']);

/**
 * Begins the reply of an exchange once its turn has ended; once in the fleet, in the order of the log. A turn that did
 * not complete sends nothing (rule TE15).
 */
@Injectable()
export class TurnEndsReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    reactors: Reactors,
    private readonly decisions: Decisions,
    private readonly intake: ExchangeIntake,
    private readonly replies: ReplySender,
  ) {
    this.reactor = reactors.consume(
      {
        name: 'channels',
        prefixes: ['session-'],
        leaseMsMax: takeoverMs,
        from: 'start',
        readiness: 'channels',
        stoppedGauge: { name: 'channels_stopped', help: 'Whether answers to messages stopped leaving for good.' },
      },
      (batch) => this.take(batch),
    );
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor.close();
  }

  private async take(batch: readonly RecordedEvent[]): Promise<void> {
    for (const event of batch) {
      if (!finals.has(event.type)) continue; // before its data is asked for: that decodes it
      const turn = event.data.turn as TurnRecord;
      if (turn.channel_exchange_id !== undefined)
        await this.turnEnded(event.meta.org_id ?? '', turn, turn.channel_exchange_id);
    }
  }

  private async turnEnded(orgId: string, turn: TurnRecord, exchangeId: string): Promise<void> {
    const { exchange } = (await this.decisions.load(exchangeKind, exchangeId)).state;
    if (exchange?.org_id !== orgId) return;
    await this.intake.admitted(exchange, turn.session_id, turn.id);
    if (turn.status === 'completed') await this.replies.first(orgId, exchangeId);
    else await this.intake.abandon(exchange, `turn_${turn.status}`);
  }
}
