/** What a user-supplied URL may cost. */
export interface EgressRequest {
  url: string;
  /**
   * The organization that calls: organizations take turns where calls wait for each other. Absent for calls of the
   * service itself.
   */
  orgId?: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: Uint8Array;
  timeoutMs: number;
  responseBytesMax: number;
  signal?: AbortSignal;
}

export interface EgressResponse {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Uint8Array;
}

/** An answer whose body is still on its way. */
export interface OpenedResponse extends Omit<EgressResponse, 'body'> {
  /**
   * The body as it comes, to be read once; reading throws `EgressFailure`. Time-out, cap and signal of the request hold
   * until the body ends. A reader that leaves early ends the connection.
   */
  body: AsyncIterable<Uint8Array>;
}

/** A mail on its way out: handed over to one server, for one address. */
export interface OutgoingMail {
  /** Of IPv6 with its brackets. */
  host: string;
  /** 465 speaks TLS from its first byte; on any other port TLS begins with STARTTLS. */
  port: number;
  /** The organization that sends, see `EgressRequest`. */
  orgId: string;
  username: string;
  secret: string;
  from: string;
  to: string;
  /** The whole mail, headers first. */
  message: Uint8Array;
  timeoutMs: number;
  signal?: AbortSignal;
}

/** How a mail server answered. */
export interface MailAnswer {
  /** Code of its last answer; null: it gave none. */
  status: number | null;
  /** Null: it took the mail. */
  refused: 'tls' | 'auth' | 'mail' | null;
}

/** Why nothing came back. `connected` is false when no byte of the request can have arrived. */
export class EgressFailure extends Error {
  constructor(
    readonly reason:
      'endpoint_blocked' | 'timeout' | 'unreachable' | 'response_too_large' | 'redirect' | 'invalid_url' | 'aborted',
    readonly connected: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'EgressFailure';
  }
}

/**
 * The only way out to an address that a user gave: literal and resolved addresses checked, the checked address pinned,
 * no redirects, time and size caps.
 */
export abstract class Egress {
  /** Gives the answer as soon as its head is there. Throws `EgressFailure`. */
  abstract open(request: EgressRequest): Promise<OpenedResponse>;

  /** Gives the whole answer. Throws `EgressFailure`. */
  async send(request: EgressRequest): Promise<EgressResponse> {
    const { status, headers, body } = await this.open(request);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, headers, body: joined(chunks) };
  }

  /**
   * Hands a mail over by SMTP. TLS and its certificate are checked before the user name is sent, unless the operator
   * allowed the address. Throws `EgressFailure`.
   */
  abstract sendMail(mail: OutgoingMail): Promise<MailAnswer>;

  /** Checks a URL at the time it is saved; gives the reason it is refused, or null. */
  abstract refusal(url: string): string | null;
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
