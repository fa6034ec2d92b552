import { createHmac } from 'node:crypto';
import { eventually } from '@aos/kernel/testing';
import { OperatorCommands } from '@aos/access/published';
import { InteractionsWorld, Receiver, until, type Received } from '../testing/interactions.process.js';

const receiver = new Receiver();
let world: InteractionsWorld;
let ann: { id: string; key: string };

interface Delivery {
  delivery_id: string;
  status: string;
  attempts: number;
  next_attempt_at: string | null;
  last_error: string | null;
  last_status_code: number | null;
}

async function asked(signing_secret?: string) {
  const made = await world.made('/v1/interactions', {
    kind: 'request_approval',
    title: 'Go?',
    target_user_ids: [ann.id],
    consumer: {
      kind: 'http_subscriber',
      http_subscriber: {
        callback_url: `http://127.0.0.1:${receiver.port}/hook`,
        ...(signing_secret && { signing_secret }),
      },
    },
  });
  const { http_subscriber: subscriber } = made.consumer as {
    http_subscriber: { signing_secret?: string; delivery: null };
  };
  return { id: made.id, subscriber };
}

async function delivery(id: string): Promise<Delivery> {
  const { body } = await world.call('GET', `/v1/interactions/${id}`);
  return (body.consumer as { http_subscriber: { delivery: Delivery } }).http_subscriber.delivery;
}

const approve = async (id: string) => {
  expect((await world.call('POST', `/v1/interactions/${id}/respond`, { value: true }, ann.key)).status).toBe(200);
};

/** Lets time pass in polls until the delivery is as awaited. */
const reaches = (id: string, holds: (now: Delivery) => boolean) =>
  until('the delivery', async () => {
    await world.pass(600);
    const now = await delivery(id);
    return holds(now) ? now : null;
  });

const endings = new Set(['CallbackFailed', 'CallbackDelivered', 'CallbackAbandoned']);
const triesEnded = async (id: string) =>
  (await world.store.read(`interaction-${id}`, { limit: 200 })).filter(({ type }) => endings.has(type)).length;

/** Skips to the next try and waits for its end. */
async function nextTry(id: string): Promise<Delivery> {
  const before = await triesEnded(id);
  const { next_attempt_at: at } = await delivery(id);
  await world.pass(Math.max(0, Date.parse(at ?? '') - world.clock.now()));
  await eventually('the end of the try', async () => {
    await world.pass(600);
    return (await triesEnded(id)) > before;
  });
  return delivery(id);
}

function isSigned({ headers, body }: Received, key: string | Buffer): boolean {
  const signature = createHmac('sha256', key)
    .update(`v1.${String(headers['x-svc-delivery-id'])}.${String(headers['x-svc-timestamp'])}.${body}`)
    .digest('hex');
  return headers['x-svc-signature'] === `sha256=${signature}`;
}

beforeEach(async () => {
  receiver.got.length = 0;
  receiver.answer = (response) => {
    response.writeHead(204).end();
  };
  await receiver.listen();
  world = new InteractionsWorld([`127.0.0.1:${receiver.port}`]);
  await world.start();
  ann = await world.person('ann');
});

afterEach(async () => {
  await world.stop();
  await receiver.close();
});

describe('callbacks', () => {
  it('are sent once the outcome is durable, signed with the secret that was shown once', async () => {
    const { id, subscriber } = await asked();
    const key = Buffer.from(subscriber.signing_secret?.slice('whsec_'.length) ?? '', 'base64url');
    expect(key).toHaveLength(32);
    expect(subscriber.delivery).toBeNull();
    await approve(id);
    const now = await reaches(id, ({ status }) => status === 'delivered');
    expect(now).toMatchObject({ attempts: 1, last_status_code: 204, last_error: null, next_attempt_at: null });
    const [got] = await receiver.requests(1);
    if (!got) throw new Error('nothing came');
    expect(isSigned(got, key)).toBe(true);
    expect(got.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': now.delivery_id,
      'x-svc-delivery-id': now.delivery_id,
      'x-svc-event-type': 'interaction.resolved',
      'x-svc-secret-version': '1',
    });
    expect(JSON.parse(got.body)).toMatchObject({
      event_type: 'interaction.resolved',
      interaction_id: id,
      status: 'completed',
      resolved_by: 'any_of',
      responder: { user_id: ann.id },
    });
    expect(JSON.stringify((await world.call('GET', `/v1/interactions/${id}`)).body)).not.toContain('signing_secret');
    for await (const row of world.readStore.dump('interactions@1')) expect(JSON.stringify(row)).not.toContain('whsec_');
    for (const { data } of await world.store.read(`interaction-${id}`, { limit: 100 }))
      expect(JSON.stringify(data)).not.toContain(subscriber.signing_secret);
  });

  it('reach a receiver that was down, with the same delivery id and bytes and a new time', async () => {
    const secret = 'sixteen characters and more';
    const { id, subscriber } = await asked(secret);
    expect(subscriber.signing_secret).toBeUndefined();
    await receiver.close();
    await approve(id);
    expect(await reaches(id, ({ last_error: error }) => error !== null)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: 'unreachable',
      last_status_code: null,
    });
    await receiver.listen();
    receiver.answer = (response) => {
      response.writeHead(500).end('a body nobody keeps');
    };
    expect(await nextTry(id)).toMatchObject({
      status: 'pending',
      attempts: 2,
      last_error: 'http_status',
      last_status_code: 500,
    });
    receiver.answer = (response) => {
      response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    };
    expect(await nextTry(id)).toMatchObject({ status: 'pending', attempts: 3, last_error: 'redirect' });
    receiver.answer = (response) => {
      response.writeHead(200).end();
    };
    expect(await nextTry(id)).toMatchObject({ status: 'delivered', attempts: 4 });
    expect(new Set(receiver.got.map(({ headers }) => headers['x-svc-delivery-id'])).size).toBe(1);
    expect(new Set(receiver.got.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.got.map(({ headers }) => headers['x-svc-timestamp'])).size).toBe(3);
    expect(receiver.got.every((got) => isSigned(got, secret))).toBe(true);
  });

  it('survive a process that falls between the outcome and the delivery, and after the receiver took it', async () => {
    const { id } = await asked();
    await approve(id);
    await world.stop();
    expect(receiver.got).toHaveLength(0);
    await world.start();
    let fell = false;
    world.store.faults = {
      beforeAppend: (_stream, _expected, events) => {
        if (events.some(({ type }) => type === 'CallbackDelivered') && !fell) {
          fell = true;
          throw new Error('the process falls here');
        }
      },
    };
    await eventually('the fall', async () => {
      await world.pass(600);
      return fell;
    });
    await world.stop();
    await world.start();
    await world.pass(31_000);
    expect(await reaches(id, ({ status }) => status === 'delivered')).toMatchObject({ attempts: 2 });
    expect(new Set(receiver.got.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(receiver.got).toHaveLength(2);
  });

  it('that hang hold up nobody: others arrive meanwhile', async () => {
    const hanging = await Promise.all(Array.from({ length: 150 }, () => asked()));
    receiver.answer = () => undefined;
    await Promise.all(hanging.map(({ id }) => approve(id)));
    await eventually('all to hang', async () => {
      await world.pass(500);
      return receiver.got.length >= 150;
    });
    receiver.answer = (response) => {
      response.writeHead(204).end();
    };
    const quick = await asked();
    const { id: timed } = await world.made('/v1/interactions', {
      kind: 'request_information',
      title: 'Soon',
      target_user_ids: [ann.id],
      expires_at: new Date(world.clock.now() + 500).toISOString(),
    });
    await approve(quick.id);
    await reaches(quick.id, ({ status }) => status === 'delivered');
    expect((await world.call('GET', `/v1/interactions/${timed}`)).body.status).toBe('expired');
    expect(await delivery(hanging[0]?.id ?? '')).toMatchObject({ status: 'pending', attempts: 1, last_error: null });
  });

  it("given up are sent again on an operator's word", async () => {
    const { id } = await asked();
    receiver.answer = (response) => {
      response.writeHead(410).end();
    };
    await approve(id);
    await reaches(id, ({ last_error: error }) => error !== null);
    for (let tries = 2; tries <= 20; tries += 1) await nextTry(id);
    expect(await delivery(id)).toMatchObject({ status: 'abandoned', attempts: 20, last_status_code: 410 });
    expect(receiver.got).toHaveLength(20);
    receiver.answer = (response) => {
      response.writeHead(204).end();
    };
    const operator = world.app?.nest.get(OperatorCommands, { strict: false });
    expect(await operator?.run(['callback', 'redrive', id], {})).toMatchObject({
      interaction_id: id,
      status: 'pending',
    });
    expect(await reaches(id, ({ status }) => status === 'delivered')).toMatchObject({ attempts: 21 });
    await expect(operator?.run(['callback', 'redrive', id], {})).rejects.toMatchObject({ code: 'conflict' });
  });

  it('go to public addresses only (I2)', async () => {
    const to = (callback_url: string) =>
      world.call('POST', '/v1/interactions', {
        kind: 'request_approval',
        title: 'Go?',
        target_user_ids: [ann.id],
        consumer: { kind: 'http_subscriber', http_subscriber: { callback_url } },
      });
    for (const url of [
      'http://10.0.0.1/',
      'http://169.254.169.254/latest',
      'https://user:pass@example.com/',
      'ftp://example.com/',
      'http://localhost/',
      'http://[::1]/',
    ]) {
      expect((await to(url)).body.error).toMatchObject({
        code: 'invalid_argument',
        details: { argument: 'consumer.http_subscriber.callback_url' },
      });
    }
  });
});
