import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { ConnectionDirectory } from './connection/connection-directory.js';
import { connectionsProjection } from './connection/connection.projection.js';
import { AccessTokens } from './dispatch/access-tokens.js';
import { ConnectionDispatch } from './dispatch/connection-dispatch.js';
import { GrantingConnections } from './dispatch/granting-connections.js';
import { KnownConnections } from './dispatch/known-connections.js';
import { ProviderDirectory } from './provider/provider-directory.js';
import { providersProjection } from './provider/provider.projection.js';
import { ConnectionSecrets } from './secret/connection-secrets.js';

const parts = [
  AccessTokens,
  ConnectionDirectory,
  ConnectionDispatch,
  ConnectionSecrets,
  GrantingConnections,
  KnownConnections,
  ProviderDirectory,
];

/** Connections and their secrets without the routes: for the process where calls are dispatched too. */
@Module({ imports: [AccessReadersModule, DefinitionsReadingModule], providers: parts, exports: parts })
export class ConnectionsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(connectionsProjection);
    this.projections.register(providersProjection);
  }
}
