import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { Core } from './core.js';
import { listenFault } from './listen-fault.js';

/** What answers on the public port until the app itself listens there. */
export interface EarlyAnswers {
  /** Frees the port. A second call waits for the first. */
  close(): Promise<void>;
}

/**
 * Marks an answer of a process that starts: it did nothing with the request, which may be sent to another replica
 * whatever it is.
 */
export const startingHeader = 'x-svc-starting';

const requestMs = 30_000;
const closedHeaders = { connection: 'close', 'content-type': 'application/json; charset=utf-8' };

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
}: Core): Promise<EarlyAnswers> {
  const answer = async (path: string, response: ServerResponse) => {
    if (path === '/healthz')
      response.writeHead(200, closedHeaders).end(JSON.stringify({ status: 'ok', service, version }));
    else if (path === '/readyz') {
      const checks = { process: 'starting', ...(await readiness.faults()) };
      response.writeHead(503, closedHeaders).end(JSON.stringify({ status: 'down', service, version, checks }));
    } else {
      const error = { code: 'service_unavailable', message: 'the service is starting', details: {} };
      response
        .writeHead(503, { ...closedHeaders, 'retry-after': '1', [startingHeader]: 'true' })
        .end(JSON.stringify({ error }));
    }
  };
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    // Answered when all of it came: a caller that is still sending would see a broken connection in place of the
    // answer.
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
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      });
      return closing;
    },
  };
}
