import { Injectable } from '@nestjs/common';
import { Clock, badRequest, idPart, rfc3339, type Identity } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import type { OrganizationEvent } from '../organization/organization.events.js';
import { contextBytesMax } from '../organization/organization.limits.js';
import { organizationKind, type OrganizationState } from '../organization/organization.state.js';

/** Organization context as the contract shows it (rule R42). */
export interface ContextView {
  content: string;
  max_bytes: number;
  updated_at?: string;
}

/** Turns CRLF into LF and drops trailing space. */
export function normalizedContext(content: string): string {
  return content.replaceAll('\r\n', '\n').trimEnd();
}

/**
 * Replaces the text; an empty one clears it. Gives no event when the text is the same. Refuses bad_request over 16384
 * UTF-8 bytes.
 */
export function replaceContext(
  { content, at }: { content: string; at: string },
  state: OrganizationState,
): OrganizationEvent[] {
  const text = normalizedContext(content);
  if (Buffer.byteLength(text) > contextBytesMax)
    throw badRequest([{ path: '/content', message: `must not be over ${contextBytesMax} UTF-8 bytes` }]);
  if (text === (state.context?.content ?? '')) return [];
  return [{ type: 'ContextReplaced', data: { content: text, updated_at: at } }];
}

/** The background text that every agent of an organization receives. */
@Injectable()
export class OrganizationContext {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** Empty when unset. */
  async textOf(orgId: string): Promise<string> {
    return (await this.read(orgId)).content;
  }

  async read(orgId: string): Promise<ContextView> {
    return view((await this.decisions.load(organizationKind, idPart(orgId))).state);
  }

  async replace(who: Identity, content: string): Promise<ContextView> {
    const command = { content, at: rfc3339(this.clock.now()) };
    return view(
      (
        await this.decisions.run(organizationKind, idPart(who.orgId), actorOf(who), (state) =>
          replaceContext(command, state),
        )
      ).state,
    );
  }
}

function view({ context }: OrganizationState): ContextView {
  return {
    content: context?.content ?? '',
    max_bytes: contextBytesMax,
    ...(context && { updated_at: context.updated_at }),
  };
}
