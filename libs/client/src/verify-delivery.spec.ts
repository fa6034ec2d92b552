import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyDelivery, VerificationError } from './verify-delivery.js';

const now = 1_800_000_000;
const body = JSON.stringify({ event_type: 'interaction.resolved', text: 'Grüße' });
const actionSecret = `whsec_${randomBytes(32).toString('base64url')}`;
const hookSecret = `whsec_${randomBytes(32).toString('base64')}`;

/** A request as rule I34 describes it; a secret in the service's form stands for its bytes. */
function delivery({ key = Buffer.from(actionSecret.slice(6), 'base64url'), token = 'Svc', eventType = '' } = {}) {
  const signature = createHmac('sha256', key).update(`v1.dlv_1.${now}.${body}`).digest('hex');
  const headers: Record<string, string> = {
    [`X-${token}-Signature`]: `sha256=${signature}`,
    [`X-${token}-Signature-Version`]: 'v1',
    [`X-${token}-Timestamp`]: String(now),
    [`X-${token}-Delivery-Id`]: 'dlv_1',
    [`X-${token}-Secret-Version`]: '1',
    ...(eventType === '' ? {} : { [`X-${token}-Event-Type`]: eventType }),
  };
  return { headers, body };
}

function hook(id = 'evt_1', at = now, secret = hookSecret) {
  const signature = new Webhook(secret).sign(id, new Date(at * 1000), body);
  return { headers: { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signature }, body };
}

const refused = (request: Parameters<typeof verifyDelivery>[0], secret: string | string[], options = {}) =>
  expect(verifyDelivery(request, secret, { now, ...options })).rejects.toThrow(VerificationError);

describe('deliveries to actions and callbacks (rule I34)', () => {
  it('are verified with what rule I34 says, whatever holds headers and body', async () => {
    const { headers } = delivery({ eventType: 'interaction.resolved' });
    const wanted = {
      id: 'dlv_1',
      timestamp: now,
      eventType: 'interaction.resolved',
      body: JSON.parse(body) as unknown,
    };
    for (const request of [
      { headers, body },
      { headers: new Headers(headers), body: Buffer.from(body) },
      new Request('http://receiver/', { method: 'POST', headers, body }),
    ])
      await expect(verifyDelivery(request, actionSecret, { now })).resolves.toEqual(wanted);
  });

  it('are verified by a secret of another form as it stands, and under another vendor token', async () => {
    const request = delivery({ key: Buffer.from('a secret of ours'), token: 'Acme' });
    await expect(verifyDelivery(request, 'a secret of ours', { now, token: 'acme' })).resolves.toMatchObject({
      id: 'dlv_1',
    });
    await refused(request, 'a secret of ours');
  });

  it('are verified while one secret replaces another', async () => {
    await expect(verifyDelivery(delivery(), ['another', actionSecret], { now })).resolves.toMatchObject({
      id: 'dlv_1',
    });
    await refused(delivery(), ['another', 'a third']);
  });

  it.each([299, -299])('allow a clock difference of %s s, and 300 s at most', async (seconds) => {
    await expect(verifyDelivery(delivery(), actionSecret, { now: now + seconds })).resolves.toMatchObject({});
    await refused(delivery(), actionSecret, { now: now + Math.sign(seconds) * 301 });
  });

  it('are refused when any signed part or header of form is another', async () => {
    const { headers } = delivery();
    const changed = (name: string, value: string) => ({ headers: { ...headers, [name]: value }, body });
    await refused({ headers, body: `${body} ` }, actionSecret);
    await refused(changed('X-Svc-Delivery-Id', 'dlv_2'), actionSecret);
    await refused(changed('X-Svc-Timestamp', String(now + 1)), actionSecret);
    await refused(changed('X-Svc-Timestamp', 'soon'), actionSecret);
    await refused(changed('X-Svc-Signature-Version', 'v2'), actionSecret);
    await refused(changed('X-Svc-Secret-Version', '0'), actionSecret);
    await refused(changed('X-Svc-Signature', headers['X-Svc-Signature']?.slice(7) ?? ''), actionSecret);
    await refused({ headers: {}, body }, actionSecret);
  });
});

describe('web hooks (standard webhooks)', () => {
  it('are verified with what npm standardwebhooks signs', async () => {
    await expect(verifyDelivery(hook(), hookSecret, { now })).resolves.toEqual({
      id: 'evt_1',
      timestamp: now,
      eventType: 'interaction.resolved',
      body: JSON.parse(body) as unknown,
    });
  });

  it('fit the vector of the standard', async () => {
    const request = {
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
      body: '{"test": 2432232314}',
    };
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    await expect(verifyDelivery(request, secret, { now: 1_614_265_330 })).resolves.toMatchObject({
      body: { test: 2_432_232_314 },
    });
  });

  it('are verified by any of several signatures of version 1, and by no other version', async () => {
    const { headers } = hook();
    const good = headers['webhook-signature'];
    const signed = (signature: string) => ({ headers: { ...headers, 'webhook-signature': signature }, body });
    await expect(
      verifyDelivery(signed(`v1,${Buffer.alloc(32).toString('base64')} ${good}`), hookSecret, { now }),
    ).resolves.toMatchObject({ id: 'evt_1' });
    await refused(signed(good.replace('v1,', 'v2,')), hookSecret);
    await refused(signed('v1,%%%'), hookSecret);
    await refused(signed(''), hookSecret);
  });

  it('are refused when late, changed, or under another secret', async () => {
    await refused(hook('evt_1', now - 301), hookSecret);
    await refused({ ...hook(), body: `${body} ` }, hookSecret);
    await refused(hook(), `whsec_${randomBytes(32).toString('base64')}`);
  });

  it('do not accept a delivery of the other scheme under an id of another look', async () => {
    const key = randomBytes(32);
    const secret = `whsec_${key.toString('base64')}`;
    const signature = createHmac('sha256', key).update(`v1.dlv_1.${now}.${body}`).digest('base64');
    const headers = {
      'webhook-id': 'v1.dlv_1',
      'webhook-timestamp': String(now),
      'webhook-signature': `v1,${signature}`,
    };
    await refused({ headers, body }, secret);
  });
});
