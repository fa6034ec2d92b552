// Serves the page, and gives it a browser token: the organization's key stays here.
import { createServer } from 'node:http';
import { AgentService } from 'agent-service-client';
import { build } from 'esbuild';

const { SVC_URL: baseUrl = 'http://127.0.0.1:8080', SVC_KEY: key, PAGE_PORT: port = '5173' } = process.env;
const origin = `http://127.0.0.1:${port}`;
const svc = new AgentService({ baseUrl, key });

const { changes } = await svc.blueprints.apply({
  namespace: 'examples',
  blueprint_key: 'chat-page',
  resources: {
    agents: [{ key: 'host', name: 'chat-host', model: 'svc-scripted-1', system_prompt: 'You are a host.' }],
  },
});
const agentId = changes[0].resource_id;

const bundle = await build({
  entryPoints: [new URL('page.jsx', import.meta.url).pathname],
  bundle: true,
  write: false,
  format: 'esm',
  jsx: 'automatic',
  minify: true,
  define: { 'process.env.NODE_ENV': '"production"' },
});
const script = bundle.outputFiles[0].text;
const html = `<!doctype html><meta charset="utf-8"><title>Chat</title><div id="root"></div><script type="module" src="/page.js"></script>`;

/** Which of your people asks. Your own login stands here; this example believes the name that it is given. */
function endUserOf(request) {
  const name = request.headers['x-user'];
  return typeof name === 'string' && /^[a-z]{1,32}$/.test(name) ? name : null;
}

const answers = {
  'GET /': () => [200, 'text/html', html],
  'GET /page.js': () => [200, 'text/javascript', script],
  'POST /token': async (request) => {
    const endUser = endUserOf(request);
    if (endUser === null) return [401, 'text/plain', 'Log in first.'];
    const issued = await svc.tokens.create({
      agent_id: agentId,
      end_user: endUser,
      verbs: ['read', 'invoke'],
      ttl_seconds: 900,
      origins: [origin],
    });
    return [200, 'application/json', JSON.stringify({ ...issued, baseUrl, agentId })];
  },
};

createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', origin);
  const answer = answers[`${request.method} ${pathname}`] ?? (() => [404, 'text/plain', 'Not found.']);
  const [status, type, body] = await Promise.resolve(answer(request)).catch((error) => {
    console.error(error.message);
    return [502, 'text/plain', 'The service did not give a token.'];
  });
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
}).listen(Number(port), '127.0.0.1', () => console.log(`chat page: ${origin}/?user=ann`));
