import { Inject, Injectable } from '@nestjs/common';
import { Egress, invalidArgument } from '@aos/kernel';
import { Settings } from '@aos/platform';
import type { ConnectionKind } from '../connection/connection.events.js';

const mailPorts: ReadonlySet<number> = new Set([25, 465, 587]);

/** What only the settings can say about the hosts of a connection. */
@Injectable()
export class HostChecks {
  constructor(
    private readonly egress: Egress,
    @Inject(Settings) private readonly settings: Pick<Settings, 'egressAllow'>,
  ) {}

  /**
   * Takes    hosts as a body names them.
   * Gives    their normal form, each once: origins, https unless the operator allows the address; of `smtp` one
   *          `host:port`.
   * Refuses  invalid_argument {argument: hosts}.
   * Source   rule TE21.
   */
  normal(kind: ConnectionKind, hosts: readonly string[] | undefined): string[] | null {
    if (hosts === undefined) return null;
    if (kind !== 'smtp') return [...new Set(hosts.map((host) => this.origin(host)))];
    if (hosts.length !== 1) throw invalidArgument('hosts', 'mail has one host and port');
    return hosts.map((host) => this.mailHost(host));
  }

  /**
   * Refuses invalid_argument {argument} for an address of an issuer that may not be called, is not https while
   * SVC_EGRESS_ALLOW does not name it, or has a fragment.
   */
  requireAddress(argument: string, text: string): void {
    const refusal = this.egress.refusal(text);
    if (refusal !== null) throw invalidArgument(argument, refusal);
    if (text.includes('#')) throw invalidArgument(argument, 'must not have a fragment');
    this.requireEncrypted(argument, new URL(text));
  }

  private origin(text: string): string {
    const url = /^https?:\/\/[^/?#\\@*\s]+$/i.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (!url) throw invalidArgument('hosts', 'an origin is https://host or https://host:port');
    const refusal = this.egress.refusal(`${url.origin}/`);
    if (refusal !== null) throw invalidArgument('hosts', refusal);
    this.requireEncrypted('hosts', url);
    return url.origin;
  }

  private requireEncrypted(argument: string, url: URL): void {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    if (url.protocol !== 'https:' && !this.isAllowed(url.hostname, port))
      throw invalidArgument(argument, 'https only, unless SVC_EGRESS_ALLOW names the address');
  }

  private mailHost(text: string): string {
    const [, written = '', port = ''] = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+):(\d{1,5})$/i.exec(text) ?? [];
    const host = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`).hostname : '';
    if (written === '' || host === '') throw invalidArgument('hosts', 'mail goes to one host:port');
    if (!this.isAllowed(host, Number(port))) {
      if (!mailPorts.has(Number(port))) throw invalidArgument('hosts', 'mail goes to port 25, 465 or 587');
      const refusal = this.egress.refusal(`https://${host}/`);
      if (refusal !== null) throw invalidArgument('hosts', 'the address is not public');
    }
    return `${host}:${Number(port)}`;
  }

  private isAllowed(hostname: string, port: number): boolean {
    return this.settings.egressAllow.some((allowed) => {
      const host = `http://${allowed.host.includes(':') ? `[${allowed.host}]` : allowed.host}/`;
      return allowed.port === port && URL.canParse(host) && new URL(host).hostname === hostname;
    });
  }
}
