import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { Module } from '@nestjs/common';
import { MemoryEventLog } from '@aos/adapters/memory';
import { SystemClock } from '@aos/adapters/system';
import { Organizations } from '@aos/access';
import { RelaysModule } from '@aos/events';
import { GatewayProxy, OpenStreams, Upstreams, serviceNames } from '@aos/gateway';
import { ModelProvider, basePermissions, type Identity } from '@aos/kernel';
import { eventually } from '@aos/kernel/testing';
import {
  identityHeader,
  IdentitySource,
  PinoLog,
  isTracing,
  startApp,
  traceHeaders,
  type Core,
  type RunningApp,
} from '@aos/platform';
import { embeddedModules } from './embedded.js';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

/** An OTLP/HTTP receiver that keeps the spans it is sent. */
async function receiver() {
  const spans: Span[] = [];
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        text += chunk;
      })
      .on('end', () => {
        texts.push(text);
        const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
        spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
        response.setHeader('content-type', 'application/json').end('{}');
      });
  });
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening);
  });
  return {
    spans,
    texts,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => {
          closed();
        });
      }),
  };
}

const clock = new SystemClock();
const folder = mkdtempSync(join(tmpdir(), 'traces-'));
const log = PinoLog.create({ app: 'test', level: 'silent', pretty: false });
const canary = 'canary-said-by-a-person';
let caller: Identity;

class OneCaller extends IdentitySource {
  override identify(): Promise<Identity> {
    return Promise.resolve(caller);
  }
}

@Module({ providers: [{ provide: IdentitySource, useClass: OneCaller }], exports: [IdentitySource] })
class CallerModule {}

/** A service that holds everything, behind a gateway: two processes' worth of modules, joined by HTTP. */
async function serviceAndGateway(endpoint: string): Promise<{ service: RunningApp; gateway: RunningApp }> {
  const eventLog = new MemoryEventLog(clock);
  const modules = async (core: Core) => [...(await embeddedModules(core, { eventLog })), RelaysModule];
  const service = await startApp('session-service', modules, {
    clock,
    log,
    identities: 'signed',
    graceMs: 500,
    env: { SVC_PORT: '0', SVC_DATA_DIR: join(folder, 'service'), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  });
  const gateway = await startApp('gateway', [CallerModule], {
    clock,
    log,
    checksBodies: false,
    graceMs: 500,
    env: { SVC_PORT: '0', SVC_DATA_DIR: join(folder, 'service'), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
    routes: (server, core) => {
      const open = new OpenStreams(new OneCaller(), clock, log);
      const upstreams = new Upstreams(Object.fromEntries(serviceNames.map((name) => [name, [service.url]])), clock, {
        heartbeatSeconds: 15,
      });
      core.closers.push(
        () => open.close(),
        () => upstreams.close(),
      );
      new GatewayProxy(core, upstreams, open, () => undefined).register(server);
    },
  });
  return { service, gateway };
}

const post = async (url: string, body: object, headers: Record<string, string>) => {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text) as Record<string, string>;
};

const apps: RunningApp[] = [];
afterAll(async () => {
  for (const app of apps) await app.stop();
  rmSync(folder, { recursive: true });
});

it('is nothing at all without a receiver', async () => {
  const app = await startApp('session-service', embeddedModules, {
    clock,
    log,
    identities: 'signed',
    graceMs: 200,
    env: { SVC_PORT: '0', SVC_DATA_DIR: join(folder, 'plain') },
  });
  expect(isTracing()).toBe(false);
  expect(traceHeaders()).toEqual({});
  expect(types.isProxy(app.nest.get(ModelProvider, { strict: false }))).toBe(false);
  expect(Object.keys(require.cache).some((file) => file.includes('@opentelemetry/sdk-node'))).toBe(false);
  await app.stop();
});

it('shows one invoke as one trace: door, service, event store, turn, model call, topic', async () => {
  const collector = await receiver();
  const { service, gateway } = await serviceAndGateway(collector.url);
  apps.push(gateway, service);
  expect(types.isProxy(service.nest.get(ModelProvider, { strict: false }))).toBe(true);
  const orgId = (await service.nest.get(Organizations, { strict: false }).first()) ?? '';
  caller = {
    orgId,
    principalId: 'service_1',
    kind: 'service',
    apiKeyId: 'cred_secret',
    permissions: new Set(basePermissions),
    roles: [],
    cap: null,
    requestId: 'req_1',
    ip: null,
  };
  const agent = await post(
    `${service.url}/v1/agents`,
    { name: 'traced', visibility: 'organization' },
    { [identityHeader]: service.core.identityTokens.mint(caller, 'session-service') },
  );
  const traceId = 'a'.repeat(32);
  const ack = await post(
    `${gateway.url}/v1/agents/invoke`,
    { agent_ref: { id: agent.id }, session: { mode: 'new' }, input: { content: [{ type: 'text', text: canary }] } },
    { authorization: `Bearer ${canary}`, traceparent: `00-${traceId}-${'b'.repeat(16)}-01` },
  );
  const turn = `${gateway.url}/v1/sessions/${ack.session_id}/turns/${ack.turn_id}`;
  await eventually(
    'the turn being over',
    async () => ((await (await fetch(turn)).json()) as { status: string }).status === 'completed',
  );
  const mine = () => collector.spans.filter((span) => span.traceId === traceId);
  await eventually(
    'the trace being whole',
    () =>
      mine().some(({ name }) => name === 'invoke_agent') &&
      mine().some(({ name }) => name === 'send svc.session-log.v1'),
    15_000,
  );
  for (const { core } of [gateway, service])
    expect(await core.metrics.text()).toMatch(
      /http_request_duration_seconds_count\{method="POST",route="\/v1\/agents\/invoke",status="202"[^}]*\} 1/,
    );
  await gateway.stop();
  await service.stop();
  const named = (name: string) => mine().find((span) => span.name === name);
  const parentOf = (name: string) => mine().find(({ spanId }) => spanId === named(name)?.parentSpanId)?.name;
  expect(
    mine()
      .filter(({ parentSpanId }) => parentSpanId === 'b'.repeat(16))
      .map(({ name }) => name),
  ).toEqual(['POST /v1/agents/invoke']);
  expect(parentOf('POST session-service')).toBe('POST /v1/agents/invoke');
  expect(mine().filter(({ name }) => name === 'POST /v1/agents/invoke')).toHaveLength(2);
  expect(parentOf('append session')).toMatch(/^POST \/v1\/agents\/invoke$|^invoke_agent$/);
  expect(parentOf('invoke_agent')).toBe('POST /v1/agents/invoke');
  expect(parentOf(`chat svc-scripted-1`)).toBe('invoke_agent');
  expect(parentOf('send svc.session-log.v1')).toBe('append session');
  const known = new Set([...mine().map(({ spanId }) => spanId), 'b'.repeat(16)]);
  expect(mine().filter(({ parentSpanId }) => !known.has(parentSpanId ?? ''))).toEqual([]);
  const attribute = (name: string, key: string) => named(name)?.attributes.find((one) => one.key === key)?.value;
  expect(attribute('chat svc-scripted-1', 'gen_ai.operation.name')).toEqual({ stringValue: 'chat' });
  expect(attribute('chat svc-scripted-1', 'gen_ai.usage.input_tokens')?.intValue).toBeGreaterThan(0);
  expect(attribute('send svc.session-log.v1', 'messaging.system')).toEqual({ stringValue: 'kafka' });
  for (const secret of [canary, 'cred_secret']) expect(collector.texts.join('')).not.toContain(secret);
  await collector.close();
});
