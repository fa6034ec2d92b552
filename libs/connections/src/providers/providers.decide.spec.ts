import type { ProviderRecord } from '../provider/provider.events.js';
import { saveProvider, type ProviderFields } from './providers.decide.js';

const fields: ProviderFields = {
  client_id: 'client-1',
  authorization_endpoint: 'https://issuer.example/authorize',
  token_endpoint: 'https://issuer.example/token',
  issuer: 'https://issuer.example',
  scopes: ['read', 'write'],
  hosts: ['https://api.example', 'https://files.example'],
  resource: null,
  iss_required: false,
  iss_promised: false,
};

function saved(more: Partial<ProviderFields>, before: ProviderRecord | null): ProviderRecord {
  const [event] = saveProvider(
    {
      ...{ id: 'provider_1', org_id: 'org_1', provider: 'acme', secret_id: 'prov_1' },
      secret_version: (before?.secret_version ?? 0) + 1,
      fields: { ...fields, ...more },
      by: 'user_1',
      now: '2026-01-01T00:00:00.000Z',
    },
    { provider: before },
  );
  if (!event) throw new Error('nothing was saved');
  return event.data.provider;
}

describe('rule TE21: accounts that a provider authorized wait for their owner', () => {
  const first = saved({}, null);

  it('once it has another host, endpoint, issuer or client', () => {
    for (const more of [
      { hosts: ['https://api.example'] },
      { token_endpoint: 'https://other.example/token' },
      { issuer: 'https://other.example' },
      { client_id: 'client-2' },
    ])
      expect(saved(more, first).version).toBe(first.version + 1);
  });

  it('and not because the same hosts came in another order', () => {
    const hosts = fields.hosts.toReversed();
    expect(saved({ hosts }, first)).toMatchObject({ version: first.version, hosts });
  });
});
