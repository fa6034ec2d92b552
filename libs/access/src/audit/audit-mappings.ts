import { Injectable } from '@nestjs/common';
import type { AuditMapping } from './audit-mapping.js';

/** The audit mappings of all contexts. Contexts register theirs before the process has started. */
@Injectable()
export class AuditMappings {
  private readonly byPrefix = new Map<string, AuditMapping>();

  register(...mappings: readonly AuditMapping[]): void {
    for (const mapping of mappings) this.byPrefix.set(mapping.prefix, mapping);
  }

  get prefixes(): string[] {
    return [...this.byPrefix.keys()];
  }

  of(stream: string): AuditMapping | null {
    return this.byPrefix.get(stream.slice(0, stream.indexOf('-') + 1)) ?? null;
  }
}
