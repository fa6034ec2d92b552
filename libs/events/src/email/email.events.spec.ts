import { given } from '@aos/kernel/testing';
import { emailKind, receiveEmail, type Email, type EmailEvent } from './email.events.js';

const email: Email = {
  id: 'email_0001',
  org_id: 'org_0001',
  message_id: null,
  from: 'ann@example.com',
  to: ['agents@example.com'],
  cc: [],
  reply_to: null,
  subject: 'Hello',
  text: 'Hi',
  html: null,
  in_reply_to: null,
  attachments: [],
  received_at: '2026-01-01T00:00:00.000Z',
};
const arrived: EmailEvent = { type: 'EmailArrived', data: { email } };
const reached = (agent_id: string): EmailEvent => ({ type: 'EmailReachedAgent', data: { agent_id } });

describe('a received mail', () => {
  it('is recorded before the agents that it reaches', () => {
    given(emailKind)
      .when((state) => receiveEmail({ email, agentIds: ['agent_a', 'agent_b'] }, state))
      .thenEvents(arrived, reached('agent_a'), reached('agent_b'));
  });

  it('reaches only further agents when it comes again', () => {
    given(emailKind, arrived, reached('agent_a'))
      .when((state) => receiveEmail({ email, agentIds: ['agent_a', 'agent_b'] }, state))
      .thenEvents(reached('agent_b'));
  });

  it('is not recorded when it reaches no agent', () => {
    given(emailKind)
      .when((state) => receiveEmail({ email, agentIds: [] }, state))
      .thenNothing();
  });
});
