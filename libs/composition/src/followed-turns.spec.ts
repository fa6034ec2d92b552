import 'reflect-metadata';
import { eventually } from '@aos/kernel/testing';
import { CountedService } from './testing/counted-service.js';

const before = 'what was said before anyone came';
const waitMs = 10_000;
const inTwoParts = JSON.stringify({ script: [{ say: before }, { wait_ms: waitMs }, { say: ' and after' }] });
const deadlineMs = 180_000;

let service: CountedService;
let agentId = '';
beforeAll(async () => {
  service = await CountedService.start({ alone: false });
  const agent = await service.call('POST', '/v1/agents', {
    name: 'followed',
    visibility: 'organization',
    model: 'svc-scripted-1',
  });
  agentId = String(agent['id']);
}, deadlineMs);
afterAll(() => service.stop());

describe('TP30: a turn that began unfollowed', () => {
  test.each([
    ['v1', 'stream'],
    ['v2', 'transcript/stream'],
  ])(
    'shows a %s viewer who comes in its middle all of its text, and then what follows',
    async (_protocol, path) => {
      const { session_id: session } = await service.call('POST', '/v1/agents/invoke', {
        agent_ref: { id: agentId },
        session: { mode: 'new' },
        input: { content: [{ type: 'text', text: inTwoParts }] },
      });
      await service.settled({ withOpenTurns: true });
      service.taken(1);
      const stream = await service.follow(`/v1/sessions/${String(session)}/${path}`);
      await eventually('the text so far', () => stream.text().includes(before));
      expect(service.taken(1)).not.toHaveProperty('appends');
      service.pass(waitMs);
      await eventually('the rest', () => stream.text().includes(' and after'));
      await stream.leave();
    },
    deadlineMs,
  );
});
