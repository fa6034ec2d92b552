import { AgentService, type Fetch, type TransportOptions } from '@aos/client';
import { answerFaults, type Client } from './client.js';
import { operationOf, requestFaults } from './contract.js';

/** The published client as this caller; both sides of its calls are held to the contract, but for streams. */
export function serviceFor(
  api: Pick<Client, 'baseUrl' | 'key'>,
  options: Partial<TransportOptions> = {},
): AgentService {
  return new AgentService({ baseUrl: api.baseUrl, key: api.key ?? undefined, fetch: checkedFetch, ...options });
}

const checkedFetch: Fetch = async (address, init) => {
  const url = new URL(address);
  const { method = 'GET', body } = init;
  const operation = operationOf(method, url.pathname);
  const sent = typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined;
  const faults = operation ? requestFaults(operation, url.searchParams, sent) : [];
  if (faults.length > 0) throw new Error(`${method} ${url.pathname} breaks the contract:\n${faults.join('\n')}`);
  const response = await fetch(url, init);
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const wrong = answerFaults(operation, response, await response.clone().text());
  if (wrong.length > 0)
    throw new Error(`the answer to ${method} ${url.pathname} breaks the contract:\n${wrong.join('\n')}`);
  return response;
};
