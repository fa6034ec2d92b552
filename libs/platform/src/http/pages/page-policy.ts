import { createHash } from 'node:crypto';

/** What a page may load and do; everything that is not named is refused by the browser. */
export interface PagePolicy {
  /** Digests of its scripts. */
  scripts: readonly string[];
  /** A script that is allowed may load others. */
  scriptsMayLoadOthers?: boolean;
  /** Where its styles come from, as the policy writes it. */
  styles: string;
  images?: string;
  fonts?: string;
  /** Whether strings become script only through policies; a list names those that may be made. */
  trustedTypes?: boolean | readonly string[];
  cacheControl: string;
}

/** The digest of a script or style as a policy and an `integrity` name it. */
export function digestOf(content: Buffer | string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** What a page that is served here is sent with: it asks no other host, stands in no frame, and sends no form. */
export function pageHeaders(policy: PagePolicy): { headers: Record<string, string> } {
  const { scripts, scriptsMayLoadOthers = false, styles, images, fonts, trustedTypes = false, cacheControl } = policy;
  const allowed = [...(scriptsMayLoadOthers ? ['strict-dynamic'] : []), ...scripts];
  return {
    headers: {
      'content-security-policy': [
        "default-src 'none'",
        `script-src ${allowed.map((each) => `'${each}'`).join(' ')}`,
        `style-src ${styles}`,
        ...(images === undefined ? [] : [`img-src ${images}`]),
        ...(fonts === undefined ? [] : [`font-src ${fonts}`]),
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        ...(trustedTypes === false ? [] : ["require-trusted-types-for 'script'"]),
        ...(typeof trustedTypes === 'boolean' ? [] : [`trusted-types ${trustedTypes.join(' ') || "'none'"}`]),
      ].join('; '),
      'cache-control': cacheControl,
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    },
  };
}
