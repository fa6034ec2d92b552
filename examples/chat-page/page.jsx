import { useChat } from '@ai-sdk/react';
import { AgentService } from 'agent-service-client';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { AgentServiceTransport } from './transport.js';

const renewBeforeMs = 60_000;
const user = new URLSearchParams(location.search).get('user') ?? '';
let issued = null;

/** A token that is good for a minute at least. The page holds nothing else, and keeps it in memory only. */
async function tokenFor() {
  if (issued === null || Date.parse(issued.expires_at) - Date.now() < renewBeforeMs) {
    const answer = await fetch('/token', { method: 'POST', headers: { 'x-user': user } });
    if (!answer.ok) throw new Error(await answer.text());
    issued = await answer.json();
  }
  return issued;
}

function Chat({ transport, history }) {
  const { messages, sendMessage, status, stop, error } = useChat({ transport, messages: history });
  const [draft, setDraft] = useState('');
  const isBusy = status === 'submitted' || status === 'streaming';
  const send = (event) => {
    event.preventDefault();
    if (draft.trim() === '' || isBusy) return;
    void sendMessage({ text: draft });
    setDraft('');
  };
  return (
    <main>
      <ol>
        {messages.map(({ id, role, parts }) => (
          <li key={id} data-role={role}>
            <b>{role === 'user' ? user : 'host'}</b>{' '}
            {parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{error.message}</p>}
      <form onSubmit={send}>
        <input aria-label="Message" value={draft} onChange={(event) => setDraft(event.target.value)} />
        {isBusy ? (
          <button type="button" onClick={() => void stop()}>
            Stop
          </button>
        ) : (
          <button>Send</button>
        )}
      </form>
    </main>
  );
}

const root = createRoot(document.getElementById('root'));
try {
  const { baseUrl, agentId } = await tokenFor();
  const svc = new AgentService({ baseUrl, key: async () => (await tokenFor()).token });
  const transport = new AgentServiceTransport(svc, agentId);
  root.render(<Chat transport={transport} history={await transport.history()} />);
} catch (error) {
  root.render(<p role="alert">{error.message}</p>);
}
