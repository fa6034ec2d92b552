import type { EventFamily, JsonObject, Publisher } from '@aos/kernel';
import { emailEvents, type Email } from './email.events.js';

const family: EventFamily = {
  prefix: 'email',
  displayName: 'Email',
  description: 'Mail to agent inboxes.',
  types: [
    {
      name: 'email.received',
      description: 'A mail reached the inbox of an agent.',
      sourceKind: 'email',
      schema: 'EmailReceivedEvent',
      routing: ['agent_id'],
    },
  ],
};

/** One event for each agent that a mail reached (rule E9). */
export const emailPublisher: Publisher = {
  prefix: 'email-',
  events: emailEvents,
  publishes: new Set(['EmailReachedAgent']),
  family,
  needs: ({ stream }) => [{ stream, revision: 0 }],
  publish({ data, stream }, [arrived]) {
    if (arrived?.type !== 'EmailArrived') throw new Error(`${stream} does not begin with its mail`);
    const { agent_id } = data as { agent_id: string };
    const { email } = arrived.data as { email: Email };
    const { id, message_id, from, to, cc, reply_to, subject, text, html, in_reply_to, attachments, received_at } =
      email;
    const event: JsonObject = {
      email_id: id,
      agent_id,
      from,
      to,
      cc,
      subject,
      attachments: attachments.map(({ name, mime_type, size_bytes }) => ({ name, mime_type, size_bytes })),
      received_at,
      ...known({ message_id, reply_to, text, html, in_reply_to }),
    };
    return [
      {
        event_type: 'email.received',
        source_kind: 'email',
        source_id: id,
        event,
        routing: { agent_id },
        occurred_at: received_at,
        reach: { agent_id },
      },
    ];
  },
};

/** Members that the mail has: the contract knows no null here. */
function known(members: Record<string, string | null>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== null));
}
