import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Core } from './core.js';
import { envelope, requestIdFrom } from '../server/envelope.js';
import { listenFault } from './listen-fault.js';

/** What answers on the public port until the app itself listens there. */
export interface EarlyAnswers {
  /** Frees the port when its answers under way are given, within a second. A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Marks an answer of a process that starts: it did nothing with the request, which may be sent to another replica
 * whatever it is.
 */
export const startingHeader = 'x-svc-starting';

const requestMs = 30_000;
/** How long requests that are under way when the port is freed may take to be answered. */
const lastAnswersMs = 1_000;
const closedHeaders = { connection: 'close', 'content-type': 'application/json; charset=utf-8' };

/** What of a process is there before its app. */
interface Starting {
  app: Pick<Core['app'], 'name' | 'version'>;
  settings: Pick<Core['settings'], 'port' | 'host'>;
  readiness: Pick<Core['readiness'], 'faults'>;
}

/**
 * Answers health checks while a process starts: it may wait long for its engines, is not to be ended meanwhile, and
 * says what it waits for.
 *
 * Gives    `/healthz` 200, `/readyz` 503 with the checks that fail; every other path is 503 `service_unavailable`.
 */
export async function answerEarly({
  app: { name: service, version },
  settings,
  readiness,
}: Starting): Promise<EarlyAnswers> {
  const answer = async (path: string, response: ServerResponse) => {
    if (path === '/healthz')
      response.writeHead(200, closedHeaders).end(JSON.stringify({ status: 'ok', service, version }));
    else if (path === '/readyz') {
      const checks = { process: 'starting', ...(await readiness.faults()) };
      response.writeHead(503, closedHeaders).end(JSON.stringify({ status: 'down', service, version, checks }));
    } else
      response
        .writeHead(503, { ...closedHeaders, 'retry-after': '1', [startingHeader]: 'true' })
        .end(envelope('service_unavailable', 'the service is starting'));
  };
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    // Answered when all of it came: a caller that is still sending would see a broken connection in place of the
    // answer.
    response.setHeader('x-request-id', requestIdFrom(request.headers['x-request-id']));
    request.resume().once('end', () => {
      answer(request.url?.split('?', 1)[0] ?? '', response).catch(() => {
        response.destroy();
      });
    });
  });
  const { port, host } = settings;
  await new Promise<void>((resolve, reject) => {
    server
      .once('error', (error) => {
        reject(listenFault(error, { setting: 'SVC_PORT', port, host }));
      })
      .listen(port, host, resolve);
  });
  let closing: Promise<void> | null = null;
  return {
    close: () => {
      closing ??= new Promise((resolve) => {
        const timer = setTimeout(() => {
          server.closeAllConnections();
        }, lastAnswersMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
      });
      return closing;
    },
  };
}
