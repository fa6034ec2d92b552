import { Injectable, Logger } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import { Clock, messageOf, rfc3339, sha256Hex, type Identity } from '@aos/kernel';
import type { SessionAgent, SessionTarget } from '../reading/session-targets.js';
import { SessionWatches } from '../live/session-watches.js';
import { AdmittedTurns } from '../running/admitted-turns.js';
import { OutputContract } from '../turn/output-contract.js';
import type { StartTurn } from '../turn/start.decide.js';
import { InputFiles } from '../turn/input-files.js';
import { checkInputContent } from '../turn/turn-input.js';
import { cappedPermissions } from '../turn/turn-principal.js';
import { TurnAcks, type TurnStart } from './turn-acks.js';
import type { OutputSpecDto, TurnInputDto } from './turns.dto.js';

/** A caller's turn as its route understood it. */
export interface Admission {
  who: Identity;
  agent: SessionAgent;
  target: SessionTarget;
  /** The caller asks for the session's stream with it. */
  isFollowed: boolean;
  input: TurnInputDto;
  contentPath: string;
  reactivates: boolean;
  operation: Schema<'TurnOperationPolicy'> | undefined;
  output: OutputSpecDto | undefined;
  channelContext: Schema<'ChannelContext'> | undefined;
}

/** Admits a turn: one append at the exact revision, and its run. */
@Injectable()
export class TurnAdmission {
  private readonly log = new Logger('turns');

  constructor(
    private readonly turns: AdmittedTurns,
    private readonly acks: TurnAcks,
    private readonly outputs: OutputContract,
    private readonly watches: SessionWatches,
    private readonly clock: Clock,
    private readonly inputFiles: InputFiles,
  ) {}

  /**
   * Starts the turn, or answers a repeat as the first time.
   *
   * Refuses  what `startTurn` and the checks of its content and output schema refuse.
   */
  async admit(admission: Admission): Promise<TurnStart> {
    const { who, agent, target, input } = admission;
    const content = checkInputContent(input.content, admission.contentPath);
    const references = content && (await this.inputFiles.of(who, content));
    await this.outputs.require(who, admission.output?.schema);
    const command: StartTurn = {
      now: rfc3339(this.clock.now()),
      open: target.open,
      wasAbsent: target.open !== null && !target.isNew,
      reactivates: admission.reactivates,
      agent: { status: agent.standing, timeoutSeconds: agent.wire.timeout_seconds ?? 0 },
      idempotencyKey: input.idempotency_key ?? null,
      content,
      ...(references && { files: references.files, hasUnseenFile: references.hasUnseen }),
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
    const { sessionId, isNew = false } = target;
    if (admission.isFollowed) this.watches.expect(sessionId); // its run may begin with the append
    const started = await this.turns.start({ who, agent, sessionId, isNew }, command);
    const start = this.acks.of(who, sessionId, started, input.idempotency_key);
    // its turn may run elsewhere
    if (start.deduped && admission.isFollowed)
      this.watches.announce(sessionId).catch((error: unknown) => {
        this.log.warn(`${sessionId}: ${messageOf(error)}`);
      });
    if (!start.deduped && !content)
      this.log.log(`dropped a message with a file block: session ${start.sessionId} turn ${start.turnId}`);
    return start;
  }
}
