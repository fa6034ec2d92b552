import { OwnService } from '../harness/embedded.js';
import {
  ActionServer,
  type Found,
  MailServer,
  OAuthIssuer,
  PlantedConnections,
  RecordingClient,
  SecretSearch,
  TraceSink,
  expectNoneKept,
  expectNoneRead,
  expectNoneSentElsewhere,
  showingSecrets,
} from '../harness/index.js';

jest.setTimeout(300_000);

const publicUrl = 'https://svc.example.com';
const logKept = 64 * 1024 * 1024;

describe('secrets of connections of every kind, at endpoints that echo all they were sent', () => {
  const search = new SecretSearch();
  const found: Found[] = [];
  let service: OwnService;
  let server: ActionServer;
  let issuer: OAuthIssuer;
  let mails: MailServer;
  let traces: TraceSink;
  let planted: PlantedConnections;

  beforeAll(async () => {
    server = await ActionServer.start('own');
    mails = await MailServer.start('own');
    traces = await TraceSink.start();
    issuer = await OAuthIssuer.start(`${publicUrl}/v1/oauth/callback`, 'own');
    const allowed = [`127.0.0.1:${server.port}`, mails.host, new URL(issuer.issuer).host];
    service = await OwnService.start(
      {
        SVC_PUBLIC_URL: publicUrl,
        SVC_EGRESS_ALLOW: allowed.join(','),
        SVC_LOG_LEVEL: 'debug',
        OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      },
      logKept,
    );
    const api = new RecordingClient(service.client, (asked, bytes) => {
      if (!showingSecrets.test(asked)) found.push(...search.in(asked, bytes));
    });
    planted = new PlantedConnections(api, search, server, issuer, mails);
    await planted.plant();
    await planted.readAll();
    await service.end('SIGTERM');
  }, 240_000);

  afterAll(async () => {
    await service.remove();
    await issuer.close();
    await traces.close();
    await mails.close();
    await server.close();
  });

  it('TE20, TE22: none stands in an answer, a stream, a feed, a measure, a callback or what a worker is given', () => {
    expectNoneRead({ search, planted, found });
  });

  it('TE20, TE21: none came to another address, in an address, or in a body that is no ask for a token', () => {
    expectNoneSentElsewhere({ search, planted, found });
  });

  it('TE20: none stands in a file, a log line or a span', async () => {
    const kept = { folder: service.folder, holders: [service.folder], traces, span: 'http.request.method' };
    await expectNoneKept({ search, planted, found }, kept);
    expect(service.output).toContain('"level"');
    expect(search.in('the log', service.output)).toEqual([]);
    expect(planted.callbackTokens).toHaveLength(2);
    for (const token of planted.callbackTokens)
      expect([service.output.includes(token), traces.bytes().includes(token)]).toEqual([false, false]);
  });

  it('the search would have found them: a secret that is shown once, and one in base64', () => {
    const secret = search.secret();
    const pair = Buffer.from(`shop:${secret}`).toString('base64');
    expect(search.in('an answer', `{"a": "${secret}"}`).map(({ form }) => form)).toEqual(['plain']);
    expect(search.in('an answer', pair).map(({ form }) => form)).toEqual(['base64 at 2']);
  });
});
