import { Inject, Injectable } from '@nestjs/common';
import { Settings, headerPrefix } from '@aos/platform';
import { reservedHeader } from './headers.decide.js';

/** The headers that this deployment sets under its own token, `SVC_WIRE_TOKEN` (rule TE20). */
@Injectable()
export class OwnHeaders {
  private readonly prefix: string;

  constructor(@Inject(Settings) { wireToken }: Pick<Settings, 'wireToken'>) {
    this.prefix = `${headerPrefix(wireToken)}-`.toLowerCase();
  }

  /** Refuses  invalid_argument {argument, reason: reserved} when one of these would carry the secret. */
  refuse({ header, headers }: { header?: string; headers?: Record<string, string> }): void {
    if (header !== undefined && this.isOwn(header)) throw reservedHeader('header', header);
    const own = Object.keys(headers ?? {}).find((name) => this.isOwn(name));
    if (own !== undefined) throw reservedHeader('headers', own);
  }

  private isOwn(name: string): boolean {
    return name.toLowerCase().startsWith(this.prefix);
  }
}
