// What pictures of the console show beside the demonstration's data: files, a web hook with an event that waits, a
// connection with a grant, an account that an agent answers from, a member.
import { AgentService } from '../../libs/client/dist/index.js';

/** Nothing answers there. */
const nowhere = 'https://hooks.acme.invalid/orders';

/** Takes a service that the demonstration filled. Gives the pages that show what was added, by the picture's name. */
export async function furnish(url, key) {
  const svc = new AgentService({ baseUrl: url, key });
  const [agent] = await svc.agents.list({ name: 'support' }).all(1);
  const [grace] = (await svc.principals.list({ kind: 'human' }).all(100)).filter(({ name }) => name === 'Grace (demo)');
  await files(svc);
  const hook = await webhook(svc);
  const shop = await svc.connections.create({
    name: 'Shop',
    kind: 'api_key',
    provider: 'shop',
    owner: { kind: 'team' },
    hosts: ['https://api.shop.example'],
    format: 'Bearer {secret}',
    secret: 'a-secret-of-pictures',
  });
  await svc.connections.replaceGrants(shop.id, { principal_ids: [agent.id, grace.id], everyone: false });
  await messaging(svc, agent.id);
  await svc.agents.addMembers(agent.id, { principal_ids: [grace.id] });
  await svc.agents.saveMemoryEntry(agent.id, 'returns', {
    user_id: '',
    content: 'Returns are free for 30 days.',
    kind: 'fact',
    importance: 80,
    pinned: true,
  });
  await svc.agents.saveMemoryEntry(agent.id, 'tone', { user_id: '', content: 'Short and kind.', kind: 'preference' });
  return [
    { name: 'webhooks', path: '/console/events?view=webhooks' },
    { name: 'webhooks-one', path: `/console/events/webhooks/${hook}` },
    { name: 'connections', path: '/console/access?view=connections' },
    { name: 'connections-one', path: `/console/access/connections/${shop.id}` },
    { name: 'agents-members', path: `/console/agents/${agent.id}?tab=members` },
    { name: 'agents-messaging', path: `/console/agents/${agent.id}?tab=messaging` },
    {
      name: 'files-one',
      path: '/console/files',
      also: (page) => page.getByRole('button', { name: 'returns-policy.md' }).click(),
    },
  ];
}

async function files(svc) {
  for (const [name, type, size] of [
    ['returns-policy.md', 'text/markdown', 4_210],
    ['orders-2026-10.csv', 'text/csv', 182_400],
    ['damaged-parcel.jpg', 'image/jpeg', 1_460_000],
    ['a picture that a customer sent with a name that says all that can be seen in it.png', 'image/png', 812_300],
  ]) {
    const form = new FormData();
    form.append('name', name);
    form.append('mime', type);
    form.append('file', new Blob([new Uint8Array(size)]), name);
    await svc.artifacts.create(form);
  }
}

async function webhook(svc) {
  const { id } = await svc.webhooks.create({
    url: nowhere,
    event_types: ['session.*', 'interaction.*', 'table.*', 'shop.*'],
    description: 'Orders for the warehouse',
  });
  for (const number of [1, 2, 3])
    await svc.events.receiveProviderEvent({
      id: `picture-${number}`,
      event_type: 'shop.order.returned',
      integration_id: 'shop',
      event: { number },
    });
  return id;
}

async function messaging(svc, agentId) {
  const bridge = await svc.connections.create({
    name: 'Slack of the shop',
    kind: 'channel_webhook',
    owner: { kind: 'team' },
    hosts: ['https://bridge.acme.invalid'],
    url: 'https://bridge.acme.invalid/answers',
  });
  await svc.connections.replaceGrants(bridge.id, { principal_ids: [agentId], everyone: false });
  await svc.agents.saveMessagingBinding(agentId, {
    provider: 'slack',
    integration_id: bridge.id,
    enabled: true,
    channels: ['C-support'],
    dm_policy: 'open',
  });
}
