import { Injectable, Logger } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Clock, rfc3339, sha256Hex, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import type { SessionAgent } from '../reading/agent-standing.js';
import type { SessionTarget } from '../reading/session-targets.js';
import { TurnQueue } from '../running/turn-queue.js';
import { OutputContract } from '../turn/output-contract.js';
import type { StartTurn } from '../turn/start.decide.js';
import { checkInputContent } from '../turn/turn-input.js';
import { cappedPermissions } from '../turn/turn-principal.js';
import { TurnAcks, type TurnStart } from './turn-acks.js';
import type { OutputSpecDto, TurnInputDto } from './turns.dto.js';

/** A caller's turn as its route understood it. */
export interface Admission {
  who: Identity;
  agent: SessionAgent;
  target: SessionTarget;
  input: TurnInputDto;
  contentPath: string;
  reactivates: boolean;
  operation: Schema<'TurnOperationPolicy'> | undefined;
  output: OutputSpecDto | undefined;
  channelContext: Schema<'ChannelContext'> | undefined;
}

/** Admits a turn: one append at the exact revision, then the runner is told. */
@Injectable()
export class TurnAdmission {
  private readonly log = new Logger('turns');

  constructor(
    private readonly decisions: Decisions,
    private readonly turnQueue: TurnQueue,
    private readonly acks: TurnAcks,
    private readonly outputs: OutputContract,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts the turn, or answers a repeat as the first time.
   *
   * Refuses  what `startTurn` and the checks of its content and output schema refuse.
   */
  async admit(admission: Admission): Promise<TurnStart> {
    const { who, agent, target, input } = admission;
    const content = checkInputContent(input.content, admission.contentPath);
    await this.outputs.require(who, admission.output?.schema);
    const command: StartTurn = {
      now: rfc3339(this.clock.now()),
      open: target.open,
      reactivates: admission.reactivates,
      agent: { status: agent.standing, timeoutSeconds: agent.wire.timeout_seconds ?? 0 },
      idempotencyKey: input.idempotency_key ?? null,
      content,
      ...(content ? {} : { droppedBlocks: input.content.length }),
      metadata: admission.channelContext
        ? { ...input.metadata, channel_context: admission.channelContext }
        : (input.metadata ?? null),
      context: (input.context ?? []).map((item) => ({ ...item, digest: sha256Hex(item.content) })),
      operationTimeoutSeconds: admission.operation?.timeout_seconds ?? null,
      outputSchema: admission.output?.schema ?? null,
      principalId: who.principalId,
      principalKind: who.kind,
    };
    const { permissions } = cappedPermissions(who);
    if (permissions) command.principalPermissions = permissions;
    const decided = await this.decisions.decide(sessionDecider.startTurn, target.sessionId, actorOf(who), command, {
      isNew: target.isNew === true,
    });
    const start = this.acks.of(who, target.sessionId, decided, input.idempotency_key);
    if (!start.deduped) {
      if (!content)
        this.log.log(`dropped a message with a file block: session ${start.sessionId} turn ${start.turnId}`);
      this.turnQueue.admitted(who.orgId, start.sessionId, start.turnId);
    }
    return start;
  }
}
