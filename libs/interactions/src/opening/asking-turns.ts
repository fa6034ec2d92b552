import { Injectable } from '@nestjs/common';
import { Clock, Refusal, listAt, notFound, type Identity, type PrincipalKind } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { SessionDirectory, TurnReader, parseSessionPart, sessionKind } from '@aos/sessions/published';
import { openQuestionsMax } from '../interaction/interaction.limits.js';
import type { AskedConsumer, FoundConsumer } from './opening.decide.js';

/** Turns that ask. */
@Injectable()
export class AskingTurns {
  constructor(
    private readonly sessions: SessionDirectory,
    private readonly turns: TurnReader,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /**
   * The turn as consumer of the outcome (rule I4): the caller may use the session, and the turn is one of it.
   *
   * Takes    `ownTurn`: the asking agent runs in the session of its own turn, whose reach is not asked.
   * Refuses  not_found; conflict {limit} while too many questions of the session are open (rule L24).
   */
  async consumer(
    who: Identity,
    { invocation_id, tool_call_id, session_id }: NonNullable<AskedConsumer['agent_tool']>,
    ownTurn: boolean,
  ): Promise<FoundConsumer> {
    const turn = parseSessionPart(invocation_id, 'turn');
    if (!turn || (session_id !== undefined && session_id !== turn.sessionId)) throw notFound('turn');
    if (!ownTurn) await this.sessions.visible(who, turn.sessionId, this.clock.now());
    const { state } = await this.decisions.load(sessionKind, turn.sessionId);
    const { opening } = state;
    if (
      opening?.org_id !== who.orgId ||
      state.status === 'deleted' ||
      listAt(state.queuedAt, turn.ordinal) === undefined
    )
      throw notFound('turn');
    if (state.interactions.size >= openQuestionsMax)
      throw new Refusal('conflict', { limit: openQuestionsMax }, 'too many questions of this session are open');
    const { agent_id: agentId, visibility } = opening;
    const { input } = await this.turns.admitted(turn.sessionId, state, turn.ordinal);
    return {
      consumer: {
        kind: 'agent_tool',
        agent_tool: { invocation_id, tool_call_id, session_id: turn.sessionId },
        principal: { id: input.principal_id, kind: input.principal_kind as PrincipalKind },
      },
      agentId,
      visibility,
      madeSecret: null,
    };
  }
}
