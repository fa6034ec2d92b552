import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Reactors, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { AuthorizationRequests } from './authorizing/authorization-requests.js';
import { AuthorizationStates } from './authorizing/authorization-states.js';
import { AuthorizingController } from './authorizing/authorizing.controller.js';
import * as authorizing from './authorizing/authorizing.handlers.js';
import * as callbacks from './authorizing/callbacks.handlers.js';
import { CodeExchange } from './authorizing/code-exchange.js';
import { ConnectionsController } from './connections/connections.controller.js';
import * as connections from './connections/connections.handlers.js';
import { AgentGrants } from './connections/agent-grants.js';
import { ConnectionQueries } from './connections/connections.queries.js';
import { DepartedOwnersReactor } from './connections/departed-owners.reactor.js';
import { Grantees } from './connections/grantees.js';
import { HostChecks } from './connections/host-checks.js';
import { MendedConnections } from './connections/mended-connections.js';
import { NewConnections } from './connections/new-connections.js';
import { OwnHeaders } from './connections/own-headers.js';
import { ConnectionsReadingModule } from './connections-reading.module.js';
import { IssuerMetadata } from './providers/issuer-metadata.js';
import { ProviderChecks } from './providers/provider-checks.js';
import { ProvidersController } from './providers/providers.controller.js';
import * as providers from './providers/providers.handlers.js';
import { ProviderQueries } from './providers/providers.queries.js';
import * as resealing from './connections/resealing.handlers.js';
import { FollowedSecrets } from './tokens/followed-secrets.js';
import { RefreshRequests } from './tokens/refresh-requests.js';
import * as refreshing from './tokens/refreshing.handlers.js';
import { TokenEndpoint } from './tokens/token-endpoint.js';
import { TokenRefreshes } from './tokens/token-refreshes.js';

/** Connections: writes `connection-`, `secret-` and `provider-`, and fetches access tokens. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, ConnectionsReadingModule],
  controllers: [ConnectionsController, AuthorizingController, ProvidersController],
  providers: [
    ...[connections, authorizing, callbacks, providers, refreshing, resealing].flatMap(commandHandlersIn),
    AgentGrants,
    ConnectionQueries,
    DepartedOwnersReactor,
    Grantees,
    HostChecks,
    MendedConnections,
    NewConnections,
    OwnHeaders,
    AuthorizationRequests,
    AuthorizationStates,
    CodeExchange,
    IssuerMetadata,
    ProviderChecks,
    ProviderQueries,
    FollowedSecrets,
    RefreshRequests,
    TokenEndpoint,
    TokenRefreshes,
    Reactors,
  ],
  exports: [AgentGrants],
})
export class ConnectionsModule {}
