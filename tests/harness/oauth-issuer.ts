import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

const startMs = 60_000;
const outputKept = 10_000;

/** An OAuth issuer in a process of its own, at an address that the service under test may reach. */
export class OAuthIssuer {
  readonly clientId = 'client-1';
  readonly issuer: string;
  private asks = 0;

  private constructor(
    private readonly child: ChildProcess,
    readonly clientSecret: string,
    host: string,
    port: number,
  ) {
    this.issuer = `http://${host}:${port}`;
  }

  /**
   * Takes the address that the service has providers send browsers back to; `own`: listens anywhere, for a suite that
   * starts its own service.
   */
  static async start(redirectUri: string, own?: 'own'): Promise<OAuthIssuer> {
    const host = process.env.ACTIONS_HOST ?? '127.0.0.1';
    const ports = (process.env.ACTIONS_PORTS ?? process.env.ACTIONS_PORT ?? '').split(',').reverse();
    const clientSecret = `canary-${randomBytes(12).toString('hex')}`;
    const env = {
      ...process.env,
      ISSUER_HOST: host,
      ISSUER_PORTS: own ? '0' : ports.join(','),
      ISSUER_REDIRECT: redirectUri,
      ISSUER_SECRET: clientSecret,
    };
    const child = spawn(process.execPath, [join(__dirname, 'issuer.mjs')], {
      env,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-outputKept);
    });
    const signal = AbortSignal.timeout(startMs);
    const [{ port }] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => Promise.reject(new Error(`the issuer does not start:\n${said}`))),
    ])) as [{ port: number }];
    return new OAuthIssuer(child, clientSecret, host, port);
  }

  /** What a provider's record says of it. */
  provider(hosts: readonly string[]): Record<string, unknown> {
    return {
      client_id: this.clientId,
      client_secret: this.clientSecret,
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/auth`,
      token_endpoint: `${this.issuer}/token`,
      scopes: ['openid'],
      hosts,
    };
  }

  /** Grants that its token endpoint was asked for, in order. */
  async asked(): Promise<string[]> {
    this.asks += 1;
    const id = this.asks;
    this.child.send({ id, name: 'asked' });
    for (;;) {
      const [answer] = (await once(this.child, 'message')) as [{ id?: number; asked: string[] }];
      if (answer.id === id) return answer.asked;
    }
  }

  /** A browser that logs in and consents. Gives the address that the issuer sends it back to. */
  async visit(authorizationUrl: string): Promise<URL> {
    const cookies = new Map<string, string>();
    for (let url = new URL(authorizationUrl), step = 0; step < 10; step += 1) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      });
      await response.arrayBuffer();
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the issuer answers ${response.status} at ${url.pathname}`);
      url = new URL(location, url);
      if (url.origin !== this.issuer) return url;
    }
    throw new Error('the issuer redirects again and again');
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null) return;
    this.child.kill();
    await once(this.child, 'exit');
  }
}
