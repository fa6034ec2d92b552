import {
  looksLikeId,
  isJsonObject,
  meantKey,
  messageOf,
  ownedPartition,
  sessionIdFor,
  type Identity,
  type JsonObject,
} from '@aos/kernel';
import type { Operation } from '@aos/platform';
import type { Destination } from './upstreams.js';

/** A larger body is not read for a hint. */
const readBytesMax = 64 * 1024;
const ordinalWidth = 6;

/** What of a request says where it is served best. */
export interface Asked {
  operation: Pick<Operation, 'operationId'>;
  params: Readonly<Record<string, string | undefined>>;
  body: unknown;
  identity: Identity | null;
}

/**
 * Where the gateway sends a request first: to the owner of the session or interaction that its path names, or of the
 * session that an invocation resolves to.
 *
 * Does not promise: that it is the owner's. A key whose session was deleted before leads to another session, an agent
 * that is given by name is not looked up. A wrong guess costs a conflict at most.
 */
export class Destinations {
  /** Takes the salts of organizations, which are kept, and who hears of a hint that could not be worked out. */
  constructor(
    private readonly salts: { of(orgId: string): Promise<string> },
    private readonly onTrouble: (reason: string) => void,
  ) {}

  /** Undefined where any replica will do. */
  async of({ operation, params, body, identity }: Asked): Promise<Destination | undefined> {
    const named = streamOfPath(params);
    if (named !== null) return toOwner(named);
    if (operation.operationId !== 'invokeAgent' || !identity) return undefined;
    const asked = readBody(body);
    if (!asked) return undefined;
    try {
      return await this.ofInvocation(asked, identity);
    } catch (error) {
      this.onTrouble(messageOf(error)); // the service says what is wrong with the request
      return undefined;
    }
  }

  private async ofInvocation(asked: JsonObject, identity: Identity): Promise<Destination | undefined> {
    const session = objectOf(asked['session']);
    const { session_key: sent, mode } = session;
    if (sent !== undefined && typeof sent !== 'string') return undefined;
    if (mode === 'new' && sent === undefined) return 'less busy';
    const agentId = objectOf(asked['agent_ref'])['id'];
    const key = meantKey(identity, sent);
    if (looksLikeId('ses', key)) return toOwner(`session-${key}`);
    if (typeof agentId !== 'string') return undefined;
    return toOwner(`session-${sessionIdFor(await this.salts.of(identity.orgId), agentId, key, 0)}`);
  }
}

/** Owner of a stream; undefined where it has none. */
export function toOwner(stream: string): Destination | undefined {
  const partition = ownedPartition(stream);
  return partition === null ? undefined : { partition };
}

/** A turn's id has its session's. */
function streamOfPath({ session_id: session, interaction_id: interaction, turn_id: turn }: Asked['params']) {
  if (session !== undefined) return `session-${session}`;
  if (interaction !== undefined) return `interaction-${interaction}`;
  return turn === undefined ? null : `session-${turn.slice(0, -ordinalWidth)}`;
}

function readBody(body: unknown): JsonObject | null {
  if (!Buffer.isBuffer(body) || body.length > readBytesMax) return null;
  try {
    return objectOf(JSON.parse(body.toString('utf8')));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
