import { request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { type Client as ApiClient, type ErrorBody, Client, callerWith, rawRequest } from '../harness/index.js';
import {
  type ApiOperation,
  type GeneratedRequest,
  Place,
  exchange,
  pathOf,
  requestTo,
  schemaOf,
  servedOperations,
} from '../harness/generators/index.js';

const api = Client.owner();
const place = new Place(api);
const jsonType = { 'content-type': 'application/json' };
const mib = 1024 * 1024;
/** Rule L3. */
const large = ['invokeAgent', 'startTurn', 'appendSessionMessages', 'bulkCreateTableRows', 'applyBlueprint'];
const serverOwned = ['id', 'org_id', 'created_by', 'protected'];

let served: ApiOperation[] = [];
let withBody: ApiOperation[] = [];
let viewer: ApiClient;

beforeAll(async () => {
  served = (await servedOperations(api)).filter(({ permission }) => permission !== null);
  withBody = served.filter(({ mediaType }) => mediaType === 'application/json');
  viewer = await callerWith(api, 'Viewer');
});

afterAll(() => place.close());

const codeOf = (text: string): string => (JSON.parse(text) as ErrorBody).error.code;
const targetOf = async (operation: ApiOperation): Promise<GeneratedRequest> => ({
  operation,
  params: await place.target(operation.id, place.nobody),
});

/** One line per operation that answers otherwise than expected. */
async function otherwise(
  asked: readonly ApiOperation[],
  expected: string,
  send: (request: GeneratedRequest, path: string) => Promise<{ status: number; text: string }>,
): Promise<string[]> {
  const lines: string[] = [];
  for (const operation of asked) {
    const request = await targetOf(operation);
    const { status, text } = await send(request, pathOf(request));
    const got = `${status} ${status >= 400 && text !== '' ? codeOf(text) : ''}`.trim();
    if (got !== expected) lines.push(`${operation.id}: ${got} ${text.slice(0, 200)}`);
  }
  return lines;
}

/** Says how long the body will be and sends none of it. */
function announced(
  path: string,
  method: string,
  bytes: number,
): Promise<{ status: number; text: string; connection: string }> {
  const url = new URL(api.baseUrl + path);
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? tlsRequest : plainRequest)(
      url,
      { method, agent: false, headers: { ...api.headers(), 'content-length': String(bytes) } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text, connection: String(response.headers.connection) });
          request.destroy();
        });
      },
    );
    request.on('error', reject);
    request.flushHeaders();
  });
}

describe('hardening: paths and methods, every operation (control S9)', () => {
  it.each([
    ['a trailing slash', (path: string) => `${path}/`],
    ['a double slash', (path: string) => path.replace('/v1/', '/v1//')],
    ['upper case', (path: string) => path.replace('/v1/', '/V1/')],
    ['a matrix parameter', (path: string) => path.replace('/v1/', '/v1;x/')],
    ['an encoded slash', (path: string) => path.replace('/v1/', '/v1%2F')],
  ])('%s is no other way in: 404', async (_what, changed) => {
    expect(
      await otherwise(served, '404 not_found', ({ operation }, path) =>
        rawRequest(api, operation.method, changed(path), { headers: jsonType }),
      ),
    ).toEqual([]);
  });

  it('no header turns a read into anything else', async () => {
    const gone = ['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'].map(
      (name) => [name, 'DELETE'] as const,
    );
    const { agent_id: id } = await place.target('getAgent', place.nobody);
    for (const [name, value] of gone)
      expect((await rawRequest(api, 'GET', `/v1/agents/${id ?? ''}`, { headers: { [name]: value } })).status).toBe(200);
    expect(
      (await rawRequest(viewer, 'POST', `/v1/agents/${id ?? ''}?_method=PATCH`, { headers: jsonType })).status,
    ).toBe(405);
  });

  it('HEAD is decided like GET (and has no body)', async () => {
    const reads = served.filter(({ method, isStream }) => method === 'GET' && !isStream);
    const faults: string[] = [];
    for (const operation of reads) {
      const { status, text } = await rawRequest(api.as(null), 'HEAD', pathOf(await targetOf(operation)));
      if (![401, 405].includes(status) || text !== '') faults.push(`${operation.id} ${status}`);
    }
    expect(faults).toEqual([]);
  });
});

describe('hardening: bodies, every operation that takes one', () => {
  const withText =
    (body: string, headers: Record<string, string> = jsonType) =>
    ({ operation }: GeneratedRequest, path: string) =>
      rawRequest(api, operation.method, path, { headers, body });

  it.each([
    ['S15: another type', '415 unsupported_media_type', withText('{}', { 'content-type': 'text/plain' })],
    [
      'S15: a type that only looks like JSON',
      '415 unsupported_media_type',
      withText('{}', { 'content-type': 'application/json\ta' }),
    ],
    ['S16: an encoding', '415 unsupported_media_type', withText('{}', { ...jsonType, 'content-encoding': 'gzip' })],
    ['S14: 65 levels', '400 bad_request', withText('['.repeat(65) + ']'.repeat(65))],
    ['S11: __proto__', '400 bad_request', withText('{"a":{"__proto__":{"b":1}}}')],
    ['S11: constructor.prototype', '400 bad_request', withText('{"constructor":{"prototype":{"b":1}}}')],
    ['no JSON', '400 bad_request', withText('{"a":')],
  ])('%s: %s', async (_what, expected, send) => {
    expect(await otherwise(withBody, expected, send)).toEqual([]);
  });

  it('S13: a body over the limit of rule L3 is 413 with the limit, before it is sent, and the connection closes', async () => {
    const faults: string[] = [];
    for (const operation of withBody) {
      const limit = large.includes(operation.id) ? 8 * mib : mib;
      const { status, text, connection } = await announced(
        pathOf(await targetOf(operation)),
        operation.method,
        limit + 1,
      );
      const { error } = JSON.parse(text) as ErrorBody;
      if (
        status !== 413 ||
        error.code !== 'payload_too_large' ||
        error.details?.['limit_bytes'] !== limit ||
        connection !== 'close'
      )
        faults.push(`${operation.id}: ${status} ${text} ${connection}`);
    }
    expect(faults).toEqual([]);
  });

  it("S10, G8: a member of the server's is refused with its path in closed bodies and never written in open ones", async () => {
    const faults: string[] = [];
    for (const operation of withBody.filter(({ tier }) => tier < 3)) {
      const isClosed =
        (schemaOf(operation) as { additionalProperties?: unknown } | null)?.additionalProperties === false;
      const known = Object.keys(schemaOf(operation)?.properties ?? {});
      for (const member of serverOwned.filter((name) => !known.includes(name))) {
        const caller = operation.path.includes('/interactions') ? await place.ownerPerson() : place.nobody;
        const request = await requestTo(operation, place, caller, operation.pathParameters.length > 0 && !isClosed);
        const got = await exchange(caller.client, {
          ...request,
          body: { ...(request.body as object), [member]: 'planted-by-the-caller' },
        });
        const issues = (got.details['issues'] ?? []) as { path: string }[];
        const isRight = isClosed
          ? got.status === 400 && issues.some(({ path }) => path === `/${member}`)
          : got.status < 300 && !got.text.includes('planted-by-the-caller');
        if (!isRight) faults.push(`${operation.id}.${member}: ${got.status} ${got.text.slice(0, 200)}`);
      }
    }
    expect(faults).toEqual([]);
  });

  it('S12: rules beyond the shape hold, whatever constructor a body claims', async () => {
    const { session_id: session } = await place.target('getSession', place.nobody);
    for (const constructor of [null, {}, 'x', []]) {
      const body = {
        constructor,
        input: {
          constructor,
          content: [{ type: 'text', text: 'x' }],
          context: [
            { name: 'a', content: 'x', constructor },
            { name: 'a', content: 'y', constructor },
          ],
        },
      };
      const answer = await rawRequest(api, 'POST', `/v1/sessions/${session ?? ''}/turns`, {
        headers: jsonType,
        body: JSON.stringify(body),
      });
      expect([answer.status, codeOf(answer.text)]).toEqual([400, 'bad_request']);
    }
  });
});

describe('hardening: what is believed', () => {
  it('S4: a key in the query opens nothing', async () => {
    for (const name of ['api_key', 'key', 'token', 'access_token'])
      expect((await rawRequest(api.as(null), 'GET', `/v1/agents?${name}=${api.key ?? ''}`)).status).toBe(401);
  });

  it('S40: identity and trace headers of the inside are not believed', async () => {
    for (const name of ['x-svc-identity', 'x-svc-org-id', 'x-svc-principal-id', 'x-svc-actor'])
      expect((await rawRequest(api.as(null), 'GET', '/v1/agents', { headers: { [name]: 'org_x' } })).status).toBe(401);
    expect(
      (
        await rawRequest(viewer, 'POST', '/v1/roles', {
          headers: { ...jsonType, 'x-svc-permissions': 'svc.org.admin' },
          body: '{}',
        })
      ).status,
    ).toBe(403);
  });

  it('S24: cookies open nothing, and none are set', async () => {
    const answer = await rawRequest(api.as(null), 'GET', '/v1/agents', {
      headers: { cookie: `key=${api.key ?? ''}; authorization=Bearer ${api.key ?? ''}` },
    });
    expect([answer.status, answer.headers['set-cookie']]).toEqual([401, undefined]);
  });
});
