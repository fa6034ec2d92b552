import { ApiError } from '@aos/client';
import type { SchemaFault } from './schemas';

/** What is wrong with a body, by the path of a member: `name`, `schema.columns.0.type`; the empty path is all of it. */
export type Faults = Readonly<Record<string, string>>;

/** Codes that mean one member, where their details name none. */
const memberOfCode: Record<string, string> = { already_exists: 'name', external_identity_conflict: 'external_ref' };

export function faultsOfSchema(found: readonly SchemaFault[]): Faults {
  return Object.fromEntries(found.map(({ path, message }) => [path.join('.'), message]));
}

/** Where the service says that a body is wrong: its issues, or the member that its details or its code name. */
export function faultsOfError(error: Error | null): Faults {
  if (!(error instanceof ApiError)) return {};
  const { issues, field, argument } = error.details;
  if (Array.isArray(issues))
    return Object.fromEntries(
      issues.flatMap((issue) => {
        const { path, message } = issue as { path?: unknown; message?: unknown };
        return typeof path === 'string' ? [[membersOf(path), String(message)]] : [];
      }),
    );
  const member = [field, argument, memberOfCode[error.code]].find((one) => typeof one === 'string');
  return typeof member === 'string' ? { [member]: error.message } : {};
}

/** All faults of one member and of what is inside it, as one line; null for none. */
export function faultAt(faults: Faults, member: string): string | null {
  const lines = Object.entries(faults)
    .filter(([path]) => path === member || path.startsWith(`${member}.`))
    .map(([path, message]) => (path === member ? message : `${path.slice(member.length + 1)}: ${message}`));
  return lines.length === 0 ? null : lines.join('; ');
}

/** A JSON pointer as a path with points. */
function membersOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}
