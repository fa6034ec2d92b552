import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, badRequest, rfc3339 } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { SessionTargets } from '../reading/session-targets.js';
import { TurnReader, turnOrdinal } from '../reading/turn-reader.js';
import { TurnQueue } from '../running/turn-queue.js';
import { turnWire } from '../session/session.wire.js';
import type { TurnStart } from './turn-acks.js';
import { TurnAdmission } from './turn-admission.js';
import type { InvokeDto, StartTurnDto } from './turns.dto.js';

export class InvokeAgent extends CallerCommand<{ body: InvokeDto; isFollowed?: boolean }, TurnStart> {}

@CommandHandler(InvokeAgent)
export class InvokeAgentHandler implements ICommandHandler<InvokeAgent> {
  constructor(
    private readonly targets: SessionTargets,
    private readonly admission: TurnAdmission,
  ) {}

  async execute({ who, input: { body, isFollowed = false } }: InvokeAgent): Promise<TurnStart> {
    const agent = await this.targets.agent(who, body.agent_ref);
    return this.targets.resolving(
      who,
      agent,
      body.session ?? {},
      (target) =>
        this.admission.admit({
          who,
          agent,
          target,
          isFollowed,
          input: body.input,
          contentPath: '/input/content',
          reactivates: true,
          operation: body.operation,
          output: body.output,
          channelContext: body.channel_context,
        }),
      { at: '/session' },
    );
  }
}

export class StartSessionTurn extends CallerCommand<
  { session_id: string; body: StartTurnDto; isFollowed?: boolean },
  TurnStart
> {}

@CommandHandler(StartSessionTurn)
export class StartSessionTurnHandler implements ICommandHandler<StartSessionTurn> {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly targets: SessionTargets,
    private readonly admission: TurnAdmission,
    private readonly clock: Clock,
  ) {}

  async execute({
    who,
    input: { session_id: sessionId, body, isFollowed = false },
  }: StartSessionTurn): Promise<TurnStart> {
    requireOneForm(body);
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const agent = await this.targets.agent(who, { id: state.opening?.agent_id ?? '' });
    return this.admission.admit({
      who,
      agent,
      target: { sessionId, open: null, isNew: false },
      isFollowed,
      input: body.input ?? body,
      contentPath: body.input ? '/input/content' : '/content',
      reactivates: false,
      operation: body.operation,
      output: body.output,
      channelContext: undefined,
    });
  }
}

/** Members of the flat form beside `input` would be lost, a key against repeats too. Refuses bad_request (rule T1). */
function requireOneForm(body: StartTurnDto): void {
  if (!body.input) return;
  const lost = (['role', 'idempotency_key', 'context', 'metadata'] as const).filter((name) => body[name] !== undefined);
  if (lost.length > 0)
    throw badRequest(lost.map((name) => ({ path: `/${name}`, message: 'is of the flat form: not beside input' })));
}

export class CancelTurn extends CallerCommand<{ session_id: string; turn_id: string }, Reply<'cancelTurn'>> {}

@CommandHandler(CancelTurn)
export class CancelTurnHandler implements ICommandHandler<CancelTurn> {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly reader: TurnReader,
    private readonly turnQueue: TurnQueue,
    private readonly clock: Clock,
  ) {}

  async execute({ who, input: { session_id: sessionId, turn_id: turnId } }: CancelTurn): Promise<Reply<'cancelTurn'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const ordinal = turnOrdinal(state, sessionId, turnId);
    const command = { turnId, now: rfc3339(this.clock.now()), reason: 'requested' };
    const decided = await this.decisions.decide(sessionDecider.cancelTurn, sessionId, actorOf(who), command);
    this.turnQueue.next(who.orgId, sessionId, decided.state);
    return turnWire(await this.reader.turn(sessionId, decided.state, ordinal));
  }
}
