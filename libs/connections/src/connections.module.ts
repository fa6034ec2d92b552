import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { ConnectionsController } from './connections/connections.controller.js';
import * as connections from './connections/connections.handlers.js';
import { AgentGrants } from './connections/agent-grants.js';
import { ConnectionQueries } from './connections/connections.queries.js';
import { Grantees } from './connections/grantees.js';
import { HostChecks } from './connections/host-checks.js';
import { MendedConnections } from './connections/mended-connections.js';
import { ConnectionsReadingModule } from './connections-reading.module.js';

/** Connections: writes `connection-` and `secret-`. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, ConnectionsReadingModule],
  controllers: [ConnectionsController],
  providers: [
    ...commandHandlersIn(connections),
    AgentGrants,
    ConnectionQueries,
    Grantees,
    HostChecks,
    MendedConnections,
  ],
  exports: [AgentGrants],
})
export class ConnectionsModule {}
