import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  Clock,
  Egress,
  EgressFailure,
  Ids,
  firstCharacters,
  rfc3339,
  type EgressRequest,
  type EgressResponse,
  type Json,
  type JsonObject,
} from '@aos/kernel';
import { SealBroken, Settings, headerPrefix, signedHeaders } from '@aos/platform';
import {
  ActionDirectory,
  type ActionRecord,
  type DispatchedAction,
  type SigningSecret,
} from '@aos/definitions/published';
import {
  ConnectionDispatch,
  EchoFilter,
  type ConnectionUse,
  type OpenedConnection,
  type UsedConnection,
} from '@aos/connections/published';
import type { DeferredCall, ReportProgress } from '@aos/sessions/published';
import { actionBody, type ActionCall } from './action-request.decide.js';
import { isDeferral, outputOf, readReply } from './action-reply.decide.js';
import { CallbackTokens, type CallbackClaims } from './callback-tokens.js';
import { notCarried, type Carried, type DeliveryFacts } from './carried.js';
import { wholeReply } from './reply-body.js';
import { secretsToFilter, sentSecretsOf } from './sent-secrets.decide.js';
import {
  backoffMs,
  deferredMs,
  isSuccess,
  jobTimeoutMsOf,
  mayRetry,
  replyBytesMax,
  retriesMax,
  timeoutMsOf,
  type Tried,
} from './attempts.decide.js';

type ConnectionFault = Extract<OpenedConnection, { fault: string }>['fault'];
type Delivered = { retryCount: number } & ({ tried: Tried } | { fault: ConnectionFault });

/** What a call is sent to, and with. */
interface Endpoint {
  url: string;
  record: ActionRecord;
  signing: SigningSecret;
  account: UsedConnection | null;
  /** Whether the endpoint may take the call and bring the result itself. */
  isDeferrable: boolean;
}

/** What an endpoint that took a call says of it in the end. */
export type Brought = { output: Json } | { error: string };

const excerptCharactersMax = 2000;
const unauthorizedStatus = 401;

/** Texts for the model about requests without an answer. They never contain the address that a name resolved to. */
const failures: Readonly<Record<EgressFailure['reason'], string>> = {
  endpoint_blocked: 'the endpoint of the action may not be called',
  timeout: 'the endpoint did not answer in time',
  unreachable: 'the endpoint could not be reached',
  response_too_large: `the answer is over ${replyBytesMax} bytes`,
  redirect: 'the endpoint redirects, which is not followed',
  invalid_url: 'the address of the action cannot be called',
  aborted: 'the call was given up',
};

/** One durable call: its delivery id is recorded and the same on every try. */
export interface ActionDelivery extends Omit<ActionCall, 'action'> {
  name: string;
  deliveryId: string;
  /** Who uses an account, where the action names a provider. */
  use: ConnectionUse;
}

/** Texts for the model about accounts that a call may not use. */
const unconnected = {
  connection_not_granted: 'there is no account of the provider that may be used for this call',
  connection_ambiguous: 'more than one account of the provider may be used; the agent must name one',
  connection_host_mismatch: 'the endpoint lies outside the hosts of the account',
  connection_needs_authorization: 'the account must be authorized again by its owner',
  connection_token_unavailable: 'the provider of the account gives no access token now',
  secret_unreadable: 'the secret of the account cannot be read; rotate it',
  secret_changed: 'the account has another secret by now, and the result cannot be filtered for the one before',
} as const satisfies Record<ConnectionFault | 'secret_changed', string>;

/** Calls custom actions at their http endpoints. */
@Injectable()
export class HttpDeliveries {
  private readonly log = new Logger('actions');

  constructor(
    private readonly actions: ActionDirectory,
    private readonly connections: ConnectionDispatch,
    private readonly egress: Egress,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly callbacks: CallbackTokens,
    @Inject(Settings) private readonly settings: Settings,
  ) {}

  /**
   * Gives an error for every failure of the action. Throws the signal's reason when that is aborted, and
   * `StoreUnavailable`.
   */
  async carryOut(delivery: ActionDelivery, signal: AbortSignal, progress?: ReportProgress): Promise<Carried> {
    const carried = await this.carry(delivery, signal, progress, false);
    if (carried === 'deferred') throw new Error(`${delivery.deliveryId} cannot be deferred`);
    return carried;
  }

  /** As `carryOut`; `deferred` when the endpoint took the call and brings the result itself (rule TE81). */
  carryOutDeferrable(
    delivery: ActionDelivery,
    signal: AbortSignal,
    progress?: ReportProgress,
  ): Promise<Carried | 'deferred'> {
    return this.carry(delivery, signal, progress, true);
  }

  /**
   * The result that the endpoint of a call brought itself: filtered and checked as a reply is. An account that may not
   * be used any more fails the call, and so does one whose secret at the time is not known any more.
   */
  async brought(
    delivery: ActionDelivery,
    said: Brought,
    { retryCount, secretVersion, sent }: Pick<CallbackClaims, 'retryCount' | 'secretVersion' | 'sent'>,
  ): Promise<Carried> {
    const record = await this.actions.record(delivery.orgId, delivery.name);
    const action = record && { id: record.id, format: record.wire.invocation_format };
    const facts: DeliveryFacts = { action, httpStatus: 202, retryCount, secretVersion, warning: null };
    if (!record) return notCarried('not_found', `there is no action ${delivery.name}`, {}, facts);
    const account = await this.account(record, delivery);
    if (account && 'fault' in account) return notCarried(account.fault, unconnected[account.fault], {}, facts);
    const filter = filterAfter(sent, account);
    if (!filter) return notCarried('secret_changed', unconnected.secret_changed, {}, facts);
    const filtered = <T extends Json>(value: T): T => filter.value({ value }).value as T;
    if ('error' in said) return notCarried('action_failed', filtered(said.error), {}, facts);
    return this.checked(record, outputOf(filtered(said.output)), [], facts);
  }

  /** Progress without what its account must not show; null where the account may not be used any more. */
  async shown(
    delivery: ActionDelivery,
    progress: JsonObject,
    { sent }: Pick<CallbackClaims, 'sent'>,
  ): Promise<JsonObject | null> {
    const record = await this.actions.record(delivery.orgId, delivery.name);
    const account = record && (await this.account(record, delivery));
    if (account && 'fault' in account) return null;
    return filterAfter(sent, account)?.value(progress) ?? null;
  }

  private async carry(
    delivery: ActionDelivery,
    signal: AbortSignal,
    progress: ReportProgress = () => undefined,
    isDeferrable: boolean,
  ): Promise<Carried | 'deferred'> {
    const action = await this.opened(delivery);
    if (!action) return notCarried('not_found', `there is no action ${delivery.name}`);
    if (action === 'unreadable')
      return notCarried('secret_unreadable', 'the signing secret of the action cannot be read; rotate it');
    const { record, signing } = action;
    const { endpoint_url: url, invocation_format: format } = record.wire;
    const known = { action: { id: record.id, format }, secretVersion: signing?.version ?? null };
    if (!signing || url === undefined)
      return notCarried('action_not_ready', `no worker carries out ${delivery.name}`, {}, known);
    const fault = await this.actions.inputFault(record, delivery.parameters);
    if (fault)
      return notCarried(
        'invalid_argument',
        `the input does not fit at ${fault.path || '/'}: ${fault.message}`,
        {},
        known,
      );
    const account = await this.account(record, delivery);
    if (account && 'fault' in account) return notCarried(account.fault, unconnected[account.fault], {}, known);
    const endpoint = { url, record, signing, account, isDeferrable };
    const delivered = await this.deliver(endpoint, delivery, signal, progress);
    const { retryCount } = delivered;
    if ('fault' in delivered)
      return notCarried(delivered.fault, unconnected[delivered.fault], {}, { ...known, retryCount });
    const { tried } = delivered;
    if (isDeferrable && 'reply' in tried && isDeferral(tried.reply, this.settings.wireToken)) return 'deferred';
    if ('reply' in tried) return this.answered(record, delivery, tried.reply, { ...known, retryCount });
    const { reason, message } = tried.failure;
    const why = reason === 'endpoint_blocked' ? `${failures[reason]}: ${message}` : failures[reason];
    return notCarried(reason, why, {}, { ...known, retryCount });
  }

  private async opened({ orgId, name }: ActionDelivery): Promise<DispatchedAction | 'unreadable' | null> {
    try {
      return await this.actions.dispatched(orgId, name);
    } catch (error) {
      if (error instanceof SealBroken) return 'unreadable';
      throw error;
    }
  }

  /** The account that the call is made with; null for an action without a provider. */
  private async account({ wire }: ActionRecord, { orgId, use }: ActionDelivery) {
    const { name, provider, endpoint_url: url = null } = wire;
    return provider === undefined ? null : this.connections.open(orgId, { name, provider, endpoint_url: url }, use);
  }

  /**
   * Bounded: one try and three retries, each with its own time-out, all within the caller's signal. An access token
   * that is refused with 401 is fetched anew, once, and the same try made again.
   */
  private async deliver(
    endpoint: Endpoint,
    delivery: ActionDelivery,
    signal: AbortSignal,
    progress: ReportProgress,
  ): Promise<Delivered> {
    const { annotations } = endpoint.record.wire;
    let { account } = endpoint;
    let filter = filterOf(account);
    let isRenewed = false;
    for (let retryCount = 0; ;) {
      const tried = await this.attempt(
        this.request({ ...endpoint, account }, delivery, retryCount, signal),
        progress,
        filter,
      );
      signal.throwIfAborted();
      if (!isRenewed && account?.renewed && 'reply' in tried && tried.reply.status === unauthorizedStatus) {
        isRenewed = true;
        const renewed = await account.renewed();
        if ('fault' in renewed) return { fault: renewed.fault, retryCount };
        account = renewed;
        filter = filterOf(account);
        continue;
      }
      if (
        ('reply' in tried && isSuccess(tried.reply.status)) ||
        retryCount >= retriesMax ||
        !mayRetry(tried, annotations)
      )
        return { tried, retryCount };
      const [random = 0] = this.ids.randomBytes(1);
      retryCount += 1;
      await this.clock.sleep(backoffMs(retryCount, tried, random / 255), signal);
    }
  }

  private request(
    { url, record: { id, wire }, signing, account, isDeferrable }: Endpoint,
    delivery: ActionDelivery,
    retryCount: number,
    signal: AbortSignal,
  ): EgressRequest {
    const { contentType, body } = actionBody(wire.invocation_format, this.settings.wireToken, {
      ...delivery,
      action: { id, name: wire.name },
    });
    const headers = signedHeaders({
      token: this.settings.wireToken,
      secret: signing.secret,
      secretVersion: signing.version,
      deliveryId: delivery.deliveryId,
      contentType,
      timestamp: Math.floor(this.clock.now() / 1000),
      body,
    });
    const nowMs = this.clock.now();
    const callback = isDeferrable
      ? this.callbackHeaders(delivery, {
          startedAt: rfc3339(nowMs),
          expiresAt: nowMs + jobTimeoutMsOf(wire.annotations) + deferredMs,
          retryCount,
          secretVersion: signing.version,
          sent: account && sentSecretsOf(account.secrets),
        })
      : {};
    return {
      orgId: delivery.orgId,
      url,
      method: 'POST',
      headers: { ...headers, ...callback, ...account?.headers },
      body,
      timeoutMs: timeoutMsOf(wire.annotations),
      responseBytesMax: replyBytesMax,
      signal,
    };
  }

  /** How the endpoint of a turn's call brings its result itself; none for other calls. */
  private callbackHeaders(
    { orgId, origin, deliveryId }: ActionDelivery,
    call: Omit<CallbackClaims, keyof DeferredCall>,
  ): Record<string, string> {
    if (origin.kind !== 'agent_tool_call') return {};
    const { sessionId, turnId, toolCallId } = origin;
    const prefix = headerPrefix(this.settings.wireToken);
    return {
      [`${prefix}-Callback-Url`]: this.callbacks.url(deliveryId),
      [`${prefix}-Callback-Token`]: this.callbacks.token({ orgId, sessionId, turnId, toolCallId, deliveryId, ...call }),
    };
  }

  /** What comes back is filtered before anything is made of it (rule TE22). */
  private async attempt(request: EgressRequest, progress: ReportProgress, filter: EchoFilter | null): Promise<Tried> {
    const report: ReportProgress = filter ? (said) => progress(filter.value(said)) : progress;
    try {
      const reply = await wholeReply(await this.egress.open(request), report);
      return { reply: filter ? { ...reply, body: filter.body(reply.body) } : reply };
    } catch (error) {
      if (error instanceof EgressFailure) return { failure: error };
      throw error;
    }
  }

  private async answered(
    record: ActionRecord,
    { deliveryId }: ActionDelivery,
    reply: EgressResponse,
    known: Pick<DeliveryFacts, 'action' | 'retryCount' | 'secretVersion'>,
  ): Promise<Carried> {
    const facts: DeliveryFacts = { ...known, httpStatus: reply.status, warning: null };
    if (!isSuccess(reply.status)) {
      const details: JsonObject = { status: reply.status };
      const excerpt = firstCharacters(Buffer.from(reply.body).toString('utf8'), excerptCharactersMax);
      if (excerpt !== '') details.body = excerpt;
      return notCarried('http_status', `the endpoint answered ${reply.status}`, details, facts);
    }
    const read = readReply(reply, this.settings.wireToken);
    if ('unreadable' in read) return notCarried('invalid_reply', read.unreadable, {}, facts);
    if (read.warning !== null) this.log.warn(`${deliveryId}: ${read.warning}`);
    return this.checked(record, read.output, read.context, { ...facts, warning: read.warning });
  }

  private async checked(
    record: ActionRecord,
    output: JsonObject,
    context: Extract<Carried['answer'], { output: JsonObject }>['context'],
    facts: DeliveryFacts,
  ): Promise<Carried> {
    const fault = await this.actions.outputFault(record, output);
    if (!fault) return { answer: { output, context }, facts };
    const why = `the output does not fit its schema at ${fault.path || '/'}: ${fault.message}`;
    return notCarried('invalid_reply', why, {}, { ...facts, warning: null });
  }
}

/** Null without an account. */
function filterOf(account: UsedConnection | null): EchoFilter | null {
  return account && new EchoFilter(account.secrets);
}

/** Null where what the call was sent with is not known any more. */
function filterAfter(sent: CallbackClaims['sent'], account: UsedConnection | null): EchoFilter | null {
  const secrets = secretsToFilter(sent, account?.secrets ?? []);
  return secrets && new EchoFilter(secrets);
}
