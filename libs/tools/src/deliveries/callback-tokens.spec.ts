import { KeyRing } from '@aos/platform';
import { CallbackTokens } from './callback-tokens.js';
import { sentBytesMax } from './sent-secrets.decide.js';

const keys = (secret: number) => new KeyRing([{ keyId: 'k', secret: Buffer.alloc(32, secret) }]);
const settings = { publicUrl: 'https://service.example', host: '0.0.0.0', port: 80 };
const claims = {
  orgId: 'org_1',
  sessionId: 'ses_1',
  turnId: 'turn_1',
  toolCallId: 'toolu_1',
  deliveryId: 'dlv_1',
  expiresAt: 1_700_000_000_000,
  startedAt: '2026-01-01T00:00:00.000Z',
  retryCount: 2,
  secretVersion: 3,
  sent: { values: ['what was sent'] },
};

describe('TE81: callback tokens', () => {
  const tokens = new CallbackTokens(keys(1), settings);

  it('open to what they were made for, and say none of it to who holds them', () => {
    const token = tokens.token(claims);
    expect(tokens.open(token)).toEqual(claims);
    for (const part of ['org_1', 'ses_1', 'turn_1', 'toolu_1', 'what was sent']) {
      expect(token).not.toContain(part);
      expect(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).not.toContain(part);
    }
    expect(tokens.url('dlv_1')).toBe('https://service.example/v1/deliveries/dlv_1/result');
  });

  it('hold as much of what was sent as may be kept', () => {
    const much = { ...claims, sent: { values: ['ü'.repeat(sentBytesMax / 2 - 2)] } };
    expect(tokens.open(tokens.token(much))).toEqual(much);
    expect(tokens.open(tokens.token({ ...claims, sent: null }))).toEqual({ ...claims, sent: null });
  });

  it('another text, a changed one, and one of other keys is none', () => {
    const token = tokens.token(claims);
    const changed = `${token.slice(0, -2)}${token.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const text of ['', 'x', changed, `${token}a`, 'k.', token.repeat(20)]) expect(tokens.open(text)).toBeNull();
    expect(new CallbackTokens(keys(2), settings).open(token)).toBeNull();
  });
});
