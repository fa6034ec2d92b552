// An example of each command for its help: arguments as their ids look, and the least body that the contract takes.
const named = {
  createAgent: { name: 'guide', model: 'svc-scripted-1', visibility: 'organization' },
  invokeAgent: { agent_ref: { name: 'guide' }, input: { content: [{ type: 'text', text: 'Hello' }] } },
  startTurn: { input: { content: [{ type: 'text', text: 'Hello' }] } },
  nudgeSession: { content: 'Be brief' },
  appendSessionMessages: { messages: [{ role: 'user', content: [{ type: 'text', text: 'From before' }] }] },
  updateAgent: { model: 'svc-scripted-1' },
  updateSession: { title: 'Trip to Rome' },
  createTable: { name: 'tickets', schema: { identity_column: 'title', columns: [{ name: 'title', type: 'string' }] } },
  updateTable: { description: 'What customers ask' },
  createTableRow: { data: { title: 'Printer on fire' } },
  updateTableRow: { data: { title: 'Printer is out' } },
  upsertTableRow: { data: { title: 'Printer on fire' } },
  bulkCreateTableRows: { rows: [{ title: 'Printer on fire' }] },
  queryTableRows: { filter: { title: 'Printer on fire' } },
  searchTableRows: { query: 'printer' },
  createAction: { name: 'crm.lookup', endpoint_url: 'https://example.com/lookup' },
  updateAction: { description: 'Finds a customer' },
  invokeAction: { input: { customer: '17' } },
  createInteraction: {
    kind: 'request_approval',
    title: 'Ship it?',
    target_user_ids: ['user_01'],
    spec: { questions: [{ id: 'ship', prompt: 'Ship it?', mode: 'confirm' }] },
  },
  respondToInteraction: { answers: [{ question_id: 'ship', value: 'approved' }] },
  cancelInteraction: { reason: 'Not needed any more' },
  createAPIKey: { name: 'ci', role: 'Viewer' },
  createFirstKey: { code: 'Zm9yIHRoZSBmaXJzdCBsb2' },
  saveAgentMemoryEntry: { content: 'Likes short answers' },
  replaceOrgContext: { content: 'We sell printers.' },
  createPrincipal: { name: 'Ada', kind: 'human' },
  updatePrincipal: { description: 'Answers for refunds' },
  updateResourceOwnership: { visibility: 'organization' },
  createRole: { name: 'Support', permissions: ['svc.resource.use'] },
  updateRole: { permissions: ['svc.resource.view'] },
  createRoutine: {
    agent_id: 'agent_01',
    instructions: 'Sum up yesterday',
    per_occurrence_ceiling_milli: 1000,
    daily_ceiling_milli: 5000,
    schedule: { cron: '0 9 * * *', timezone: 'UTC' },
  },
  updateRoutine: { instructions: 'Sum up the week' },
  createWebhook: { url: 'https://example.com/hook', event_types: ['table.row.*'] },
  updateWebhook: { description: 'Refunds for the ledger' },
  enableWebhook: { from: 'latest' },
  redeliverWebhookEvents: { event_id: 'evt_01' },
  createConnection: {
    name: 'Tracker',
    kind: 'api_key',
    provider: 'tracker',
    owner: { kind: 'team' },
    hosts: ['https://api.tracker.example'],
    secret: 'key-of-the-account',
  },
  updateConnection: { name: 'Tracker of the team' },
  rotateConnection: { secret: 'another-key-of-it' },
  authorizeConnection: { return_to: 'https://app.example.com/accounts' },
  replaceConnectionGrants: { principal_ids: ['agent_01'], everyone: false },
  saveProvider: {
    client_id: 'agents',
    client_secret: 'secret-of-the-client',
    issuer: 'https://login.tracker.example',
    authorization_endpoint: 'https://login.tracker.example/authorize',
    token_endpoint: 'https://login.tracker.example/token',
    hosts: ['https://api.tracker.example'],
  },
  replaceOAuthReturnOrigins: { origins: ['https://app.example.com'] },
  saveAgentMessagingBinding: { provider: 'slack', integration_id: 'conn_01', enabled: true },
  createSkill: { name: 'refunds', instructions: 'How a refund is made' },
  updateSkill: { name: 'refunds', instructions: 'How a refund is made' },
  importSkill: { content: '---\nname: returns\ndescription: Returns\n---\nHow a return is made' },
  receiveEmail: { from: 'ada@example.com', to: ['guide@example.com'], subject: 'Hello', text: 'Hello' },
  receiveProviderEvent: {
    id: 'evt-1',
    event_type: 'github.branch.pushed',
    integration_id: 'github',
    event: { ref: 'main' },
  },
  receiveMessage: {
    id: 'm-1',
    provider: 'slack',
    integration_id: 'conn_01',
    channel: { id: 'C1', kind: 'channel' },
    sender: { id: 'U1' },
    text: 'Hello',
    mentions_agent: true,
  },
};
/** Ids as they look, and other words of paths and queries. */
const samples = {
  session_id: 'ses_…',
  turn_id: 'turn_…',
  nudge_id: 'nudge_…',
  agent_id: 'agent_…',
  interaction_id: 'iact_…',
  role_id: 'role_…',
  assignment_id: 'rasg_…',
  principal_id: 'user_…',
  api_key_id: 'cred_…',
  skill_id: 'skill_…',
  action_name: 'crm.lookup',
  table_id: 'tbl_…',
  row_id: 'row_…',
  memory_key: 'likes',
  user_id: 'user_…',
  artifact_id: 'art_…',
  routine_id: 'rtn_…',
  proposal_id: 'rprop_…',
  delivery_id: 'dlv_…',
  binding_id: 'chan_…',
  connection_id: 'conn_…',
  webhook_id: 'hook_…',
  provider: 'tracker',
  path: 'agents',
  token: 'k1…',
  visibility: 'organization',
  blueprint_key: 'support',
  resource_type: 'table',
  resource_id: 'tbl_…',
};
const depthMax = 6;

/** Takes the contract and one operation's words, path arguments and content; gives a line that could be typed. */
export function exampleOf(contract, { id, words, args, content, parameters }) {
  const json = content['application/json'];
  const parts = ['svc', words, ...args.map((name) => samples[name] ?? `<${name}>`)];
  if (content['multipart/form-data']) parts.push(`--file ./notes.txt --data '{"name":"notes.txt"}'`);
  for (const { name, schema } of parameters.filter(({ in: place, required }) => required && place !== 'path'))
    parts.push(`--${name.toLowerCase().replaceAll('_', '-')} ${samples[name] ?? leastOf(contract, schema, name)}`);
  if (json) parts.push(`--data '${JSON.stringify(named[id] ?? leastOf(contract, json.schema))}'`);
  const has = (name) => parameters.some((parameter) => parameter.in === 'query' && parameter.name === name);
  if (!json && has('limit')) parts.push('--limit 5');
  return parts.join(' ');
}

/** The least value that the schema takes. */
export function leastOf(contract, schema, name = 'value', depth = 0) {
  if (depth > depthMax) throw new Error(`${name} is nested too deeply for an example`);
  if (schema.$ref)
    return leastOf(contract, contract.components.schemas[schema.$ref.split('/').at(-1)], name, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [branch] = schema.oneOf ?? schema.anyOf ?? [];
  const members = Object.assign({}, schema.properties, branch?.properties);
  if (branch && !branch.required) return leastOf(contract, branch, name, depth + 1);
  const [type] = [schema.type ?? 'object'].flat();
  if (type === 'array') return [leastOf(contract, schema.items, name.replace(/s$/, ''), depth + 1)];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
  if (type === 'boolean') return true;
  if (type === 'string') return textOf(schema, name);
  const needed = [...(schema.required ?? []), ...(branch?.required ?? [])];
  const wanted = needed.length > 0 ? needed : depth === 0 ? Object.keys(members).slice(0, 1) : [];
  return Object.fromEntries(wanted.map((key) => [key, leastOf(contract, members[key], key, depth + 1)]));
}

function textOf({ format, pattern }, name) {
  if (format === 'date-time') return '2026-12-01T09:00:00Z';
  if (format === 'uri') return 'https://example.com/hook';
  if (format === 'email') return 'ada@example.com';
  return (samples[name] ?? (pattern ? name : name.replaceAll('_', ' '))).replace('…', '01');
}
