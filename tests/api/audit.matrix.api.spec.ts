import { randomUUID } from 'node:crypto';
import { Client, eventually, type Page } from '../harness/index.js';
import { type ApiOperation, Place, exchange, requestTo, servedOperations } from '../harness/generators/index.js';

interface AuditEntry {
  action: string;
  request_id: string | null;
  actor: { principal_id: string; api_key_id: string | null };
  resource: { type: string; id: string };
}

const transcript = 'stands in the session itself, with who said it';
const feed = 'is a source event that names its actor';
/** What is told elsewhere: use of the service is not administration of it. */
const notAudited: Record<string, string> = {
  createSession: transcript,
  updateSession: transcript,
  appendSessionMessages: transcript,
  startTurn: transcript,
  invokeAgent: transcript,
  nudgeSession: transcript,
  compactSession: transcript,
  saveAgentMemoryEntry: feed,
  deleteAgentMemoryEntry: feed,
  createTableRow: feed,
  updateTableRow: feed,
  deleteTableRow: feed,
  upsertTableRow: feed,
  bulkCreateTableRows: feed,
  createInteraction: feed,
  receiveEmail: feed,
  receiveProviderEvent: feed,
  receiveMessage: transcript,
  invokeAction: 'stands in the list of action invocations',
  runRoutineNow: 'stands in the list of occurrences',
  pingWebhook: 'changes nothing',
  enableWebhook: 'changes nothing while the hook is active; `webhooks.api.spec.ts` looks at one that was disabled',
};

/** Needs a browser at a provider: `authorization.api.spec.ts` looks for its entry. */
const shownElsewhere = { completeConnectionAuthorization: 'connection.authorized' };
const peopleOnly = /\/(interactions|promotion|proposals)/;

const api = Client.owner();
const place = new Place(api);
const asked = new Map<string, ApiOperation>();
const refused = new Map<string, string>();
const pagesMax = 40;

afterAll(() => place.close());

/** The newest entries, back to the first of these requests. */
async function entries(): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pagesMax; page += 1) {
    const { items, next_cursor: next } = await api.get<Page<AuditEntry>>('/v1/audit', { limit: 100, cursor });
    found.push(...items.filter(({ request_id: id }) => id !== null && asked.has(id)));
    if (!next) break;
    cursor = next;
  }
  return found;
}

describe('audit (control S34; rule A29)', () => {
  it('every operation that changes something leaves an entry that names its request, its actor and its key', async () => {
    const changing = (await servedOperations(api)).filter(
      ({ method, permission }) => method !== 'GET' && permission !== null && permission !== 'svc.resource.view',
    );
    for (const operation of changing) {
      const caller = peopleOnly.test(operation.path) ? await place.ownerPerson() : place.nobody;
      const id = `audit-${randomUUID()}`;
      const got = await exchange(caller.client, {
        ...(await requestTo(operation, place, caller, operation.pathParameters.length > 0)),
        headers: { 'x-request-id': id },
      });
      if (got.status < 300) asked.set(id, operation);
      else refused.set(operation.id, `${got.status} ${got.text.slice(0, 200)}`);
    }
    expect([...refused.keys()]).toEqual(Object.keys(shownElsewhere));
    const missing = async () => {
      const told = new Set((await entries()).map(({ request_id: id }) => asked.get(id ?? '')?.id));
      return [...asked.values()].map(({ id }) => id).filter((id) => !told.has(id) && !(id in notAudited));
    };
    await eventually('the audit view', async () => (await missing()).length === 0).catch(() => undefined);
    expect(await missing()).toEqual([]);
    const told = (await entries()).map((entry) => asked.get(entry.request_id ?? '')?.id ?? '');
    expect(Object.keys(notAudited).filter((id) => told.includes(id))).toEqual([]);
  });
});
