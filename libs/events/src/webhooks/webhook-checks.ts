import { Inject, Injectable } from '@nestjs/common';
import { Egress, invalidArgument } from '@aos/kernel';
import { Settings } from '@aos/platform';

/** What an address does not keep when it is called. */
const leftOut = /#|\p{Cc}|^ | $/u;

/** What a caller may say of a hook beyond its shape. */
@Injectable()
export class WebhookChecks {
  constructor(
    private readonly egress: Egress,
    @Inject(Settings) private readonly settings: Pick<Settings, 'egressAllow'>,
  ) {}

  /**
   * Refuses invalid_argument {argument: url} for an address that is not called or is called otherwise than it is
   * written, and for http that is not allowed.
   */
  url(url: string): void {
    if (leftOut.test(url)) throw invalidArgument('url', 'must have no fragment, control character or space around it');
    const reason = this.egress.refusal(url);
    if (reason !== null) throw invalidArgument('url', reason);
    const { protocol, hostname, port } = new URL(url);
    const isNamed = this.settings.egressAllow.some(
      (one) => one.host.toLowerCase() === hostname.replace(/^\[|\]$/g, '') && one.port === Number(port || 80),
    );
    if (protocol !== 'https:' && !isNamed) throw invalidArgument('url', 'must be https');
  }
}
