import type { Command } from 'commander';
import type { MakeContext } from '../context/command-context.js';

export type Me = {
  principal: { id: string; name: string; kind: string };
  api_key: { id: string; name: string; expires_at: string | null };
  organization: { id: string; name: string };
  permissions: string[];
};
export type Health = { status: string; service?: string; version?: string; checks?: Record<string, string> };

/** `svc status`: which service, who the key is, and whether the service is ready. */
export function addStatusCommand(program: Command, makeContext: MakeContext): void {
  program
    .command('status')
    .summary('which service this is, and who you are there')
    .description(
      'Shows the address, where it was found, the principal and organization of the key, and the state of the service.',
    )
    .addHelpText('after', '\nExample:\n  svc status\n  svc status --output json\n')
    .action(async (_options, command: Command) => {
      const context = makeContext(command);
      const { connection } = context;
      const service = context.service();
      const me = (await service.request('GET', '/v1/me', {})) as Me;
      const { status, version } = (await service.request('GET', '/healthz', {})) as Health;
      const { principal, organization, api_key: key } = me;
      context.print({
        url: connection.url,
        url_from: connection.urlFrom,
        key_from: connection.keyFrom,
        profile: connection.profile,
        principal: { id: principal.id, name: principal.name, kind: principal.kind },
        organization: { id: organization.id, name: organization.name },
        api_key: { id: key.id, name: key.name, expires_at: key.expires_at },
        permissions: me.permissions,
        service: { status, version: version ?? null },
      });
    });
}
