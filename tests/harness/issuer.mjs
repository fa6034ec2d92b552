// An OAuth issuer for tests: oidc-provider with one client, PKCE, rotating refresh tokens and `iss` in its answers.
// Everyone who comes is logged in and consents. ISSUER_PORTS: the first free one is taken; the parent is sent its number.
import { createServer } from 'node:http';
import { once } from 'node:events';
import Provider from 'oidc-provider';

const { ISSUER_PORTS: ports = '0', ISSUER_HOST: host = '127.0.0.1', ISSUER_REDIRECT: redirectUri } = process.env;
const server = createServer();
/** Grants that the token endpoint was asked for, in order. */
const asked = [];

async function listen() {
  for (const port of ports.split(',')) {
    server.listen(Number(port), host);
    const taken = await once(server, 'listening').then(
      () => null,
      (error) => error,
    );
    if (taken === null) return server.address().port;
    if (taken.code !== 'EADDRINUSE') throw taken;
  }
  throw new Error(`other suites listen at all of ${ports}`);
}

const port = await listen();
const issuer = `http://${host}:${port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'client-1',
      client_secret: process.env.ISSUER_SECRET,
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ],
  cookies: { keys: ['only for tests'] },
  features: { devInteractions: { enabled: false } },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  pkce: { required: () => true },
  ttl: {
    AccessToken: 3600,
    RefreshToken: 86_400,
    Interaction: 600,
    Session: 600,
    Grant: 86_400,
    AuthorizationCode: 600,
  },
});

/** Logs a browser in and lets it consent. */
async function interact(request, response) {
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  const grantId = async () => {
    const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    return grant.save();
  };
  const result = prompt.name === 'login' ? { login: { accountId: 'ann' } } : { consent: { grantId: await grantId() } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
}

provider.on('grant.success', ({ oidc }) => asked.push(oidc.params.grant_type));
provider.on('grant.error', ({ oidc }) => asked.push(`${oidc.params?.grant_type} refused`));

server.on('request', (request, response) => {
  if (request.url?.startsWith('/interaction/')) {
    interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
    return;
  }
  provider.callback()(request, response);
});

process.on('message', ({ id }) => process.send({ id, asked: [...asked] }));
process.send({ port });
