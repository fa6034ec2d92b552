import { randomUUID } from 'node:crypto';
import { Complaint } from '../console/complaint.js';
import type { Service } from '../connection/service.js';
import type { Answer, Interaction } from './questions.js';
import { TurnView, type Turn, type TurnListener } from './turn-view.js';

type Ack = { session_id: string; turn_id: string; resume_cursor: string };

/** One session with one agent, opened by its first message. */
export class Conversation {
  private sessionId: string | null = null;
  private open: Ack | null = null;
  private isStarting = false;
  /** Cancelled while its start was not acknowledged yet. */
  private isUnwanted = false;

  constructor(
    private readonly service: Service,
    private readonly agent: string,
    private readonly sessionKey: string | undefined,
  ) {}

  get id(): string | null {
    return this.sessionId;
  }

  /** Sends a message and follows its turn. Gives the final turn. */
  async say(message: string, listener: TurnListener): Promise<Turn> {
    const ack = await this.acknowledged(message);
    const view = new TurnView(ack.turn_id, listener);
    try {
      if (this.isUnwanted) await this.cancel();
      for await (const frame of this.service.followSession(ack.session_id, { after: ack.resume_cursor })) {
        const turn = view.take(frame);
        if (turn) return turn;
      }
      return (await this.service.request('GET', `/v1/sessions/${ack.session_id}/turns/${ack.turn_id}`, {})) as Turn;
    } finally {
      this.open = null;
    }
  }

  /** Refuses an agent that is not there, before a message is sent to it. */
  async requireAgent(): Promise<void> {
    if (this.agent.startsWith('agent_')) {
      await this.service.request('GET', `/v1/agents/${encodeURIComponent(this.agent)}`, {});
      return;
    }
    const query = { name: this.agent, limit: '1' };
    const { items } = (await this.service.request('GET', '/v1/agents', { query })) as { items: unknown[] };
    if (items.length === 0) throw new Complaint(`there is no agent ${this.agent}`, ['Next: svc agents list']);
  }

  /** Whether no turn is open and none is being started. */
  get isIdle(): boolean {
    return this.open === null && !this.isStarting;
  }

  /** Cancels the turn that is open, or that is being started. A turn that has just ended needs it no more. */
  async cancel(): Promise<void> {
    this.isUnwanted = this.isStarting;
    if (this.open === null) return;
    const { session_id: session, turn_id: turn } = this.open;
    await this.service.request('POST', `/v1/sessions/${session}/turns/${turn}/cancel`, {});
  }

  async answer(interactionId: string, answers: readonly Answer[]): Promise<void> {
    await this.service.request('POST', `/v1/interactions/${interactionId}/respond`, { body: { answers } });
  }

  question(interactionId: string): Promise<Interaction> {
    return this.service.request('GET', `/v1/interactions/${interactionId}`, {}) as Promise<Interaction>;
  }

  /** Open questions of this session to the person of the key, the oldest first. */
  async openQuestions(): Promise<Interaction[]> {
    const query = { session_id: this.sessionId ?? '', status: 'pending', inbox: 'true' };
    const { items } = (await this.service.request('GET', '/v1/interactions', { query })) as { items: Interaction[] };
    return items.reverse();
  }

  private async acknowledged(message: string): Promise<Ack> {
    this.isStarting = true;
    this.isUnwanted = false;
    try {
      this.open = await this.start(message);
      this.sessionId = this.open.session_id;
      return this.open;
    } finally {
      this.isStarting = false;
    }
  }

  private async start(message: string): Promise<Ack> {
    const input = { content: [{ type: 'text', text: message }], idempotency_key: randomUUID() };
    if (this.sessionId !== null)
      return (await this.service.request('POST', `/v1/sessions/${this.sessionId}/turns`, { body: { input } })) as Ack;
    const agentRef = this.agent.startsWith('agent_') ? { id: this.agent } : { name: this.agent };
    const session = { session_key: this.sessionKey ?? `chat-${randomUUID()}` };
    const body = { agent_ref: agentRef, session, input };
    return (await this.service.request('POST', '/v1/agents/invoke', { body })) as Ack;
  }
}
