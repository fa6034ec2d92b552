import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { sessionKind } from '../session/session.state.js';
import { sessionWire } from '../session/session.wire.js';
import type { CreateSessionDto, UpdateSessionDto } from './lifecycle.dto.js';
import { changeSession, deleteSession, openSession, type ChangeSession } from '../session/lifecycle.decide.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets } from '../reading/session-targets.js';
import { CompactionThresholds } from '../compaction/compaction-thresholds.js';
import { TurnQueue } from '../running/turn-queue.js';
import { cancelSession } from '../turn/run.decide.js';

export class CreateSession extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly body: CreateSessionDto,
  ) {
    super();
  }
}

@CommandHandler(CreateSession)
export class CreateSessionHandler implements ICommandHandler<CreateSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly targets: SessionTargets,
    private readonly clock: Clock,
  ) {}

  async execute({ who, body }: CreateSession): Promise<JsonObject> {
    const agent = await this.targets.agent(who, { id: body.agent_id });
    return this.targets.resolving(who, agent, body, async ({ sessionId, open }) => {
      const command = { open, now: rfc3339(this.clock.now()), reactivates: true, agentStatus: agent.standing };
      const { state, revision } = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session) =>
        openSession(command, session),
      );
      return sessionWire(state, revision, who);
    });
  }
}

export class ChangeSessionSettings extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
    readonly body: UpdateSessionDto,
  ) {
    super();
  }
}

@CommandHandler(ChangeSessionSettings)
export class ChangeSessionSettingsHandler implements ICommandHandler<ChangeSessionSettings> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly thresholds: CompactionThresholds,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId, body }: ChangeSessionSettings): Promise<JsonObject> {
    const now = this.clock.now();
    await this.directory.visible(who, sessionId, now);
    const command: ChangeSession = { now: rfc3339(now) };
    if (body.title !== undefined) command.title = body.title;
    if (body.status !== undefined) command.status = body.status;
    if (body.compaction_policy) command.compactionPolicy = body.compaction_policy;
    if (body.thinking_effort !== undefined) command.thinkingEffort = body.thinking_effort;
    if (body.metadata !== undefined) command.metadata = body.metadata;
    const { state, revision } = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session) =>
      changeSession(command, session),
    );
    return sessionWire(state, revision, who, { single: { now, thresholdTokens: await this.thresholds.of(state) } });
  }
}

export class DeleteSession extends Command<void> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
  ) {
    super();
  }
}

@CommandHandler(DeleteSession)
export class DeleteSessionHandler implements ICommandHandler<DeleteSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId }: DeleteSession): Promise<void> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const { agent_id: agentId = '', session_key: key = '' } = state.opening ?? {};
    await this.decisions.run(sessionKind, sessionId, actorOf(who), (session) =>
      deleteSession({ now: rfc3339(this.clock.now()) }, session),
    );
    await this.directory.free(who, agentId, key, sessionId);
  }
}

export class CancelSession extends Command<JsonObject> {
  constructor(
    readonly who: Identity,
    readonly sessionId: string,
  ) {
    super();
  }
}

@CommandHandler(CancelSession)
export class CancelSessionHandler implements ICommandHandler<CancelSession> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
  ) {}

  async execute({ who, sessionId }: CancelSession): Promise<JsonObject> {
    await this.directory.visible(who, sessionId, this.clock.now());
    const decided = await this.decisions.run(sessionKind, sessionId, actorOf(who), (session, revision) =>
      cancelSession({ now: rfc3339(this.clock.now()), reason: 'requested' }, session, revision),
    );
    this.turnQueue.next(who.orgId, sessionId, decided.state);
    return sessionWire(decided.state, decided.revision, who);
  }
}
