import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { ConnectionDirectory } from './connection/connection-directory.js';
import { connectionsProjection } from './connection/connection.projection.js';
import { ConnectionDispatch } from './dispatch/connection-dispatch.js';
import { ConnectionSecrets } from './secret/connection-secrets.js';

const parts = [ConnectionDirectory, ConnectionDispatch, ConnectionSecrets];

/** Connections and their secrets without the routes: for the process where calls are dispatched too. */
@Module({ imports: [AccessReadersModule, DefinitionsReadingModule], providers: parts, exports: parts })
export class ConnectionsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(connectionsProjection);
  }
}
