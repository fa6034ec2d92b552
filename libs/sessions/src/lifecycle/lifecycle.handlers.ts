import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, rfc3339 } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { sessionWire } from '../session/session.wire.js';
import type { CreateSessionDto, UpdateSessionDto } from './lifecycle.dto.js';
import type { ChangeSession } from '../session/lifecycle.decide.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets } from '../reading/session-targets.js';
import { TranscriptFragments } from '../fragments/transcript-fragments.js';
import { CompactionThresholds } from '../compaction/compaction-thresholds.js';
import { TurnQueue } from '../running/turn-queue.js';

export class CreateSession extends CallerCommand<{ body: CreateSessionDto }, Reply<'createSession'>> {}

@CommandHandler(CreateSession)
export class CreateSessionHandler implements ICommandHandler<CreateSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly targets: SessionTargets,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { body } }: CreateSession): Promise<Reply<'createSession'>> {
    const agent = await this.targets.agent(who, { id: body.agent_id });
    return this.targets.resolving(who, agent, body, async ({ sessionId, open, isNew }) => {
      const command = {
        open,
        wasAbsent: open !== null && !isNew,
        now: rfc3339(this.clock.now()),
        reactivates: true,
        agentStatus: agent.standing,
      };
      const { state, revision } = await this.decisions.decide(
        sessionDecider.openSession,
        sessionId,
        actorOf(who),
        command,
        { isNew: isNew === true },
      );
      return sessionWire(state, revision, who);
    });
  }
}

export class ChangeSessionSettings extends CallerCommand<
  { session_id: string; body: UpdateSessionDto },
  Reply<'updateSession'>
> {}

@CommandHandler(ChangeSessionSettings)
export class ChangeSessionSettingsHandler implements ICommandHandler<ChangeSessionSettings> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly thresholds: CompactionThresholds,
    private readonly clock: Clock,
  ) {}

  async execute({
    who,
    input: { session_id: sessionId, body },
  }: ChangeSessionSettings): Promise<Reply<'updateSession'>> {
    const now = this.clock.now();
    await this.directory.visible(who, sessionId, now);
    const command: ChangeSession = { now: rfc3339(now) };
    if (body.title !== undefined) command.title = body.title;
    if (body.status !== undefined) command.status = body.status;
    if (body.compaction_policy) command.compactionPolicy = body.compaction_policy;
    if (body.thinking_effort !== undefined) command.thinkingEffort = body.thinking_effort;
    if (body.metadata !== undefined) command.metadata = body.metadata;
    const { state, revision } = await this.decisions.decide(
      sessionDecider.changeSession,
      sessionId,
      actorOf(who),
      command,
    );
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }
}

export class DeleteSession extends CallerCommand<{ session_id: string }, void> {}

@CommandHandler(DeleteSession)
export class DeleteSessionHandler implements ICommandHandler<DeleteSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly fragments: TranscriptFragments,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { session_id: sessionId } }: DeleteSession): Promise<void> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const { agent_id: agentId = '', session_key: key = '' } = state.opening ?? {};
    const command = { now: rfc3339(this.clock.now()) };
    await this.decisions.decide(sessionDecider.deleteSession, sessionId, actorOf(who), command);
    this.fragments.forget(sessionId);
    await this.directory.free(who, agentId, key, sessionId);
  }
}

export class CancelSession extends CallerCommand<{ session_id: string }, Reply<'cancelSession'>> {}

@CommandHandler(CancelSession)
export class CancelSessionHandler implements ICommandHandler<CancelSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { session_id: sessionId } }: CancelSession): Promise<Reply<'cancelSession'>> {
    await this.directory.visible(who, sessionId, this.clock.now());
    const command = { now: rfc3339(this.clock.now()), reason: 'requested' };
    const cancel = (through: number | null) =>
      this.decisions.decide(sessionDecider.cancelSession, sessionId, actorOf(who), { ...command, through });
    let decided = await cancel(null);
    const newest = decided.events.find((event) => event.type === 'TurnCancelled')?.data.turn.seq ?? -1;
    // each append ends some of them, and no turn is opened below the newest
    while ([...decided.state.open.values()].some(({ ordinal }) => ordinal <= newest)) decided = await cancel(newest);
    this.turnQueue.next(who.orgId, sessionId, decided.state);
    return sessionWire(decided.state, decided.revision, who);
  }
}
