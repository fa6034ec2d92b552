import { randomBytes } from 'node:crypto';
import { OwnService } from '../harness/embedded.js';
import { converse, createAgent, person, script } from '../harness/index.js';

const secret = `secret${randomBytes(6).toString('hex')}`;

describe('rules A33, R46: what is private is in no log', () => {
  it('messages, questions, answers, memory and failed calls leave nothing of their text, at the level debug either', async () => {
    const service = await OwnService.start({ SVC_LOG_LEVEL: 'debug' });
    try {
      const api = service.client;
      const ann = await person(api);
      const selectors = ['svc.table', 'svc.memory', 'svc.interaction'].map((selector) => ({
        selector_type: 'group',
        selector,
      }));
      const agent = await createAgent(api, { memory_enabled: true, action_selectors: selectors });
      const question = {
        kind: 'request_information',
        title: secret,
        target_user_ids: [ann.id],
        spec: { questions: [{ id: 'q', prompt: secret, mode: 'input' }] },
      };
      const steps = [
        { call: { name: 'svc_memory_remember', input: { key: secret, content: secret } } },
        { call: { name: 'svc_interaction_open', input: question } },
        { call: { name: 'svc_table_get', input: { table: secret } } },
        { call: { name: secret, input: {} } },
        { say: secret },
      ];
      const { ack } = await converse(ann.client, agent.id, script(...steps));
      const {
        items: [asked],
      } = await ann.client.get<{ items: { id: string }[] }>('/v1/interactions', { session_id: ack.session_id });
      await ann.client.post(
        `/v1/interactions/${asked?.id ?? ''}/respond`,
        { answers: [{ question_id: 'q', text: secret }] },
        200,
      );
      await ann.client.put(`/v1/agents/${agent.id}/memory/entries/k`, { content: secret, user_id: ann.id }, 201);
      await converse(ann.client, agent.id, script({ error: { type: 'rate_limited', message: secret } }));
      await service.end('SIGTERM');
      expect(service.output).toContain('"level"');
      expect(service.output).not.toContain(secret);
    } finally {
      await service.remove();
    }
  });
});
