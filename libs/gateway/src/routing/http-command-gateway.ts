import {
  CommandGateway,
  Refusal,
  StoreUnavailable,
  refusalStatus,
  type GatewayCommand,
  type JsonObject,
  type RefusalCode,
} from '@aos/kernel';
import { identityHeader, routedNamed, type CommandBody, type RoutedCommands, type IdentityTokens } from '@aos/platform';
import { toOwner } from './destinations.js';
import { ownerOfCommand } from './services.js';
import { UpstreamDown, type Answer, type Destination, type Upstreams } from './upstreams.js';

const answerBytesMax = 8 * 1024 * 1024;

/**
 * Commands to the services of a fleet: to this process' own handlers as a call, to the others over HTTP with the acting
 * identity, signed.
 */
export class HttpCommandGateway extends CommandGateway {
  constructor(
    private readonly routed: RoutedCommands,
    private readonly upstreams: Upstreams,
    private readonly tokens: IdentityTokens,
  ) {
    super();
  }

  override async send(command: GatewayCommand): Promise<JsonObject> {
    if (this.routed.has(command.name)) return this.routed.handle(command);
    const owner = ownerOfCommand(command.name);
    if (!owner) throw new Error(`no service owns the command ${command.name}`);
    routedNamed(command.name)?.checkInput(command.payload);
    const body: CommandBody = { delivery_id: command.deliveryId, payload: command.payload };
    const to = destinationOf(command);
    let answer: Answer;
    try {
      answer = await this.upstreams.send(
        owner,
        {
          method: 'POST',
          path: `/internal/commands/${command.name}`,
          body: Buffer.from(JSON.stringify(body)),
          isRepeatable: true,
          ...(to === undefined ? {} : { to }),
          headers: {
            'content-type': 'application/json',
            'x-request-id': command.identity.requestId,
            [identityHeader]: this.tokens.mint(command.identity, owner),
          },
        },
        'unary',
      );
    } catch (error) {
      if (error instanceof UpstreamDown) throw new StoreUnavailable(error.message, { cause: error });
      throw error;
    }
    const parsed = await parsedAnswer(owner, answer);
    if (answer.statusCode >= 200 && answer.statusCode < 300) return parsed;
    throw failureOf(owner, answer.statusCode, parsed);
  }
}

/** The owner of the stream that the command names by `<stream>_id`; undefined where it names none. */
function destinationOf({ name, payload }: GatewayCommand): Destination | undefined {
  const owner = routedNamed(name)?.owner;
  if (!owner || !('stream' in owner)) return undefined;
  const id = payload[`${owner.stream}_id`];
  return typeof id === 'string' ? toOwner(`${owner.stream}-${id}`) : undefined;
}

async function parsedAnswer(owner: string, { body }: Answer): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > answerBytesMax) throw new Error(`an answer of ${owner} is over ${answerBytesMax} bytes`);
      chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject;
  } catch (error) {
    if (bytes > answerBytesMax) throw error;
    throw new StoreUnavailable(`${owner} broke off`, { cause: error });
  }
}

/**
 * The target's refusal as if it was thrown here; what it did not foresee is a fault, what it could not reach may be
 * tried again.
 */
function failureOf(owner: string, status: number, parsed: JsonObject): Error {
  const { code, message, details } = (parsed['error'] ?? {}) as {
    code?: string;
    message?: string;
    details?: JsonObject;
  };
  if (status === 503 && code === 'service_unavailable')
    return new StoreUnavailable(`${owner}: ${message ?? 'unavailable'}`);
  if (code !== undefined && code in refusalStatus && code !== 'internal_error' && code !== 'unauthorized')
    return new Refusal(code as RefusalCode, details ?? {}, message);
  return new Error(`${owner} answered ${status}${code ? ` ${code}` : ''}`);
}
