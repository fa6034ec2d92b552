import type { RequestBody, Schema } from '@aos/client';

export type Connection = Schema<'Connection'>;
export type ConnectionKind = Connection['kind'];
export type NewConnectionBody = RequestBody<'createConnection'>;
export type ConnectionChange = RequestBody<'updateConnection'>;

/** A header's name and its value, which is a secret. */
export type HeaderRow = readonly [name: string, value: string];

/** What a form holds of a connection. Its secrets are written and never read back. */
export interface ConnectionDraft {
  name: string;
  kind: ConnectionKind;
  ownerKind: 'person' | 'team';
  provider: string;
  hosts: string[];
  header: string;
  format: string;
  username: string;
  url: string;
  clientId: string;
  tokenEndpoint: string;
  secret: string;
  headers: HeaderRow[];
}

/** What stands in a call that is shown, in a secret's place. */
const secretPlace = '<secret>';

const kindWords: Partial<Record<string, { label: string; short: string }>> = {
  api_key: { label: 'API key: one header carries it', short: 'API key' },
  basic: { label: 'User name and password', short: 'User name and password' },
  headers: { label: 'Headers: several secrets, a header for each', short: 'Headers' },
  oauth2_client_credentials: { label: 'OAuth: the service’s own account', short: 'OAuth client' },
  oauth2_authorization_code: { label: 'OAuth: an account that its holder authorizes', short: 'OAuth account' },
  smtp: { label: 'Mail server (SMTP)', short: 'Mail server' },
  channel_webhook: { label: 'Messaging bridge: answers are sent to an address', short: 'Messaging bridge' },
};

const kinds = [
  'api_key',
  'basic',
  'headers',
  'oauth2_authorization_code',
  'oauth2_client_credentials',
  'smtp',
  'channel_webhook',
] as const;

export const kindChoices = kinds.map((value) => ({ value, label: kindWords[value]?.label ?? value }));

export function kindText(kind: string): string {
  return kindWords[kind]?.short ?? kind.replace(/_/g, ' ');
}

/** Kinds that only the team has. */
export function isTeamKind(kind: ConnectionKind): boolean {
  return kind === 'smtp' || kind === 'channel_webhook';
}

/** A kind whose account its holder authorizes at the provider: it has no secret of its own. */
export function isAuthorized(kind: ConnectionKind): boolean {
  return kind === 'oauth2_authorization_code';
}

/** Kinds that actions call with. */
export function hasProvider(kind: ConnectionKind): boolean {
  return !isTeamKind(kind);
}

export function newDraft(ownerKind: ConnectionDraft['ownerKind']): ConnectionDraft {
  return {
    name: '',
    kind: 'api_key',
    ownerKind,
    provider: '',
    hosts: [],
    header: '',
    format: '',
    username: '',
    url: '',
    clientId: '',
    tokenEndpoint: '',
    secret: '',
    headers: [['', '']],
  };
}

export function draftOf(of: Connection): ConnectionDraft {
  const { name, kind, owner, provider = '', hosts, header = '', format = '', username = '', url = '' } = of;
  return {
    ...{ name, kind, ownerKind: owner.kind, provider, hosts, header, format, username, url },
    clientId: of.client_id ?? '',
    tokenEndpoint: of.token_endpoint ?? '',
    secret: '',
    headers: (of.headers ?? []).map((each): HeaderRow => [each, '']),
  };
}

type Fields = Pick<
  NewConnectionBody,
  'hosts' | 'header' | 'format' | 'username' | 'url' | 'client_id' | 'token_endpoint'
>;

/** The members that its kind uses; an empty one is left out. */
function fieldsOf(draft: ConnectionDraft): Fields {
  const { kind, hosts, header, format, username, url, clientId, tokenEndpoint } = draft;
  switch (kind) {
    case 'api_key':
      return { hosts, ...(header !== '' && { header }), ...(format !== '' && { format }) };
    case 'basic':
    case 'smtp':
      return { hosts, ...(username !== '' && { username }) };
    case 'channel_webhook':
      return { hosts: URL.canParse(url) ? [new URL(url).origin] : hosts, ...(url !== '' && { url }) };
    case 'oauth2_client_credentials':
      return {
        ...(hosts.length > 0 && { hosts }),
        ...(clientId !== '' && { client_id: clientId }),
        ...(tokenEndpoint !== '' && { token_endpoint: tokenEndpoint }),
      };
    case 'oauth2_authorization_code':
      return {};
    default:
      return { hosts };
  }
}

export function changeBody(draft: ConnectionDraft): ConnectionChange {
  return { name: draft.name, ...fieldsOf(draft) };
}

export function createBody(draft: ConnectionDraft): NewConnectionBody {
  const { name, kind, ownerKind, provider } = draft;
  return {
    name,
    kind,
    ...(hasProvider(kind) && provider !== '' && { provider }),
    owner: { kind: isTeamKind(kind) ? 'team' : ownerKind },
    ...fieldsOf(draft),
    ...secretsOf(draft),
  };
}

/** The secret of a kind as it is sent; a messaging bridge gets one that the service makes. */
export function secretsOf({
  kind,
  secret,
  headers,
}: Pick<ConnectionDraft, 'kind' | 'secret' | 'headers'>): Pick<NewConnectionBody, 'secret' | 'headers'> {
  if (kind === 'channel_webhook' || isAuthorized(kind)) return {};
  if (kind === 'headers') return { headers: Object.fromEntries(headers.filter(([name]) => name !== '')) };
  return { secret };
}

/** The body with no secret in it, to be shown. */
export function withoutSecrets<Body extends Pick<NewConnectionBody, 'secret' | 'headers'>>(body: Body): Body {
  return {
    ...body,
    ...(body.secret !== undefined && { secret: secretPlace }),
    ...(body.headers !== undefined && {
      headers: Object.fromEntries(Object.keys(body.headers).map((name) => [name, secretPlace])),
    }),
  };
}
