// What the rows ask for.
export const disabledCompaction = { strategy: 'disabled' };

export async function makeAgent(client) {
  const agent = await client.post('/v1/agents', {
    name: 'bench',
    model: 'svc-scripted-1',
    compaction_policy: disabledCompaction,
    visibility: 'organization',
  });
  return agent.id;
}

/** The body of an invocation: a new session, or the one of `key`. */
export function invocation(agentId, text, key = null) {
  return {
    agent_ref: { id: agentId },
    session: key === null ? { mode: 'new' } : { session_key: key },
    input: { content: [{ type: 'text', text }] },
  };
}

export const tokens = (count, everyMs = 0) => `tokens=${count}${everyMs > 0 ? ` every=${everyMs}` : ''}`;
export const waiting = (ms) => JSON.stringify({ script: [{ wait_ms: ms }] });

/** Waits until every one of these turns is final, and refuses any other end than `completed`. */
export async function allCompleted(client, acknowledgements, { every = 10 } = {}) {
  for (const { session_id: session, turn_id: turn } of acknowledgements) {
    for (;;) {
      const { status, error } = await client.get(`/v1/sessions/${session}/turns/${turn}`);
      if (status === 'completed') break;
      if (status === 'failed' || status === 'cancelled') throw new Error(`${turn}: ${status} ${JSON.stringify(error)}`);
      await new Promise((resolve) => {
        setTimeout(resolve, every);
      });
    }
  }
}

/** Reads a transcript in pages of 100; gives how many there were. */
export async function readAll(client, session) {
  let pages = 0;
  let token = null;
  do {
    const page = await client.get(
      `/v1/sessions/${session}/transcript?limit=100${token ? `&page_token=${encodeURIComponent(token)}` : ''}`,
    );
    token = page.next_page_token ?? null;
    pages += 1;
  } while (token);
  return pages;
}
