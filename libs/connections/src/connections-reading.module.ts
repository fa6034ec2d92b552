import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { ConnectionDirectory } from './connection/connection-directory.js';
import { connectionsProjection } from './connection/connection.projection.js';
import { ConnectionSecrets } from './secret/connection-secrets.js';

const parts = [ConnectionDirectory, ConnectionSecrets];

/** Connections and their secrets without the routes: for the process where calls are dispatched too. */
@Module({ providers: parts, exports: parts })
export class ConnectionsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(connectionsProjection);
  }
}
