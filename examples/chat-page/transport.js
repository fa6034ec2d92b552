// A transport of the AI SDK's useChat over the service: each message is a turn of one session, streamed as it is written.
const sessionKey = 'chat';

export class AgentServiceTransport {
  constructor(svc, agentId) {
    this.svc = svc;
    this.agentId = agentId;
  }

  /** What was said before, as the page shows it. */
  async history() {
    const session = await this.svc.sessions.create({ agent_id: this.agentId, session_key: sessionKey });
    const rows = await this.svc.sessions.listMessages(session.id).all();
    return rows
      .filter(({ role }) => role === 'user' || role === 'assistant')
      .map(({ id, role, content }) => ({
        id,
        role,
        parts: content.filter(({ type }) => type === 'text').map(({ text }) => ({ type: 'text', text })),
      }));
  }

  async sendMessages({ messages, abortSignal }) {
    const { id, parts } = messages.at(-1);
    const text = parts.map((part) => part.text ?? '').join('');
    // The message's id is the retry key: a repeat never starts a second turn.
    const run = this.svc.invoke({ id: this.agentId }, text, { session: sessionKey, key: id });
    abortSignal?.addEventListener('abort', () => void run.cancel().catch(() => undefined)); // it was over already
    const { turn_id: turnId } = await run.started;
    return streamOf(chunksOf(run, turnId));
  }

  /** After a reload the page reads the history; a turn under way is in it once it is over. */
  async reconnectToStream() {
    return null;
  }
}

async function* chunksOf(run, id) {
  yield { type: 'start' };
  yield { type: 'text-start', id };
  for await (const delta of run.text()) yield { type: 'text-delta', id, delta };
  yield { type: 'text-end', id };
  const { status, error_message: message } = await run.done();
  if (status === 'failed') yield { type: 'error', errorText: message ?? 'The turn failed.' };
  yield { type: 'finish' };
}

/** Not every browser has `ReadableStream.from`. */
function streamOf(chunks) {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await chunks.return();
    },
  });
}
