import { changeBody, createBody, newDraft, withoutSecrets, type ConnectionDraft } from './connection-draft';

const draft = (part: Partial<ConnectionDraft>): ConnectionDraft => ({
  ...newDraft('person'),
  name: 'shop',
  hosts: ['https://api.example.com'],
  provider: 'example',
  header: 'X-Key',
  format: 'Key {secret}',
  username: 'me',
  url: 'https://bridge.example.com/in',
  clientId: 'client-1',
  tokenEndpoint: 'https://login.example.com/token',
  secret: 'a-long-secret',
  headers: [
    ['X-App', 'first-value'],
    ['', 'without a name'],
  ],
  ...part,
});

describe('the body of a connection', () => {
  it('has the members of its kind, and no others', () => {
    const common = { name: 'shop', provider: 'example', owner: { kind: 'person' }, hosts: ['https://api.example.com'] };
    expect(createBody(draft({ kind: 'api_key' }))).toEqual({
      ...common,
      kind: 'api_key',
      header: 'X-Key',
      format: 'Key {secret}',
      secret: 'a-long-secret',
    });
    expect(createBody(draft({ kind: 'basic' }))).toEqual({
      ...common,
      kind: 'basic',
      username: 'me',
      secret: 'a-long-secret',
    });
    expect(createBody(draft({ kind: 'headers' }))).toEqual({
      ...common,
      kind: 'headers',
      headers: { 'X-App': 'first-value' },
    });
  });

  it('of an account that is authorized has its provider, and no secret', () => {
    expect(createBody(draft({ kind: 'oauth2_authorization_code' }))).toEqual({
      name: 'shop',
      kind: 'oauth2_authorization_code',
      provider: 'example',
      owner: { kind: 'person' },
    });
    expect(createBody(draft({ kind: 'oauth2_client_credentials' }))).toMatchObject({
      client_id: 'client-1',
      token_endpoint: 'https://login.example.com/token',
      secret: 'a-long-secret',
    });
    const ofProvider = { kind: 'oauth2_client_credentials', hosts: [], clientId: '', tokenEndpoint: '' } as const;
    expect(Object.keys(createBody(draft({ ...ofProvider, hosts: [] }))).sort()).toEqual(
      ['kind', 'name', 'owner', 'provider', 'secret'].sort(),
    );
  });

  it('of a kind that only the team has belongs to the team, and a bridge has the origin of its address', () => {
    expect(createBody(draft({ kind: 'channel_webhook' }))).toEqual({
      name: 'shop',
      kind: 'channel_webhook',
      owner: { kind: 'team' },
      hosts: ['https://bridge.example.com'],
      url: 'https://bridge.example.com/in',
    });
    expect(createBody(draft({ kind: 'smtp', hosts: ['smtp.example.com:587'] }))).toMatchObject({
      owner: { kind: 'team' },
      hosts: ['smtp.example.com:587'],
      username: 'me',
    });
  });

  it('of a change has no secret, and what was left empty is not sent', () => {
    expect(changeBody(draft({ kind: 'api_key', header: '', format: '' }))).toEqual({
      name: 'shop',
      hosts: ['https://api.example.com'],
    });
  });

  it('is shown without its secrets', () => {
    for (const kind of ['api_key', 'basic', 'headers', 'smtp'] as const) {
      const shown = JSON.stringify(withoutSecrets(createBody(draft({ kind }))));
      expect(shown).toContain('<secret>');
      expect(shown).not.toMatch(/a-long-secret|first-value/);
    }
  });
});
