import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock } from '@aos/kernel';
import { CallerCommand, actorOf } from '@aos/platform';
import { SessionDirectory } from '../reading/session-directory.js';
import { sessionWire } from '../session/session.wire.js';
import { CompactionThresholds } from './compaction-thresholds.js';
import { Compactor } from './compactor.js';

export class CompactSession extends CallerCommand<{ session_id: string }, Reply<'compactSession'>> {}

/** Starts a manual pass and answers at once (rule S20). */
@CommandHandler(CompactSession)
export class CompactSessionHandler implements ICommandHandler<CompactSession> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly compactor: Compactor,
    private readonly thresholds: CompactionThresholds,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { session_id: sessionId } }: CompactSession): Promise<Reply<'compactSession'>> {
    const now = this.clock.now();
    await this.directory.visible(who, sessionId, now);
    const { state, revision } = await this.compactor.start({
      orgId: who.orgId,
      sessionId,
      trigger: 'manual',
      claim: null,
      excess: null,
      act: actorOf(who),
    });
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }
}
