import { type Answer, type Call, Client } from './client.js';

/** Takes what was asked for, and all that came back. */
export type Looks = (asked: string, bytes: string) => void;

/**
 * A caller whose answers are all looked at, those of the callers that it becomes too. `more`: headers of each request.
 */
export class RecordingClient extends Client {
  constructor(
    { baseUrl, key }: Client,
    private readonly looks: Looks,
    private readonly more: Record<string, string> = {},
  ) {
    super(baseUrl, key);
  }

  override as(key: string | null): Client {
    return new RecordingClient(new Client(this.baseUrl, key), this.looks, this.more);
  }

  override headers(extra: Record<string, string> = {}): Record<string, string> {
    return super.headers({ ...this.more, ...extra });
  }

  override async send(method: string, path: string, call: Call = {}): Promise<Answer<unknown>> {
    const answer = await super.send(method, path, call);
    this.looks(`${method} ${path}`, `${JSON.stringify([...answer.headers])}${answer.text}`);
    return answer;
  }
}
