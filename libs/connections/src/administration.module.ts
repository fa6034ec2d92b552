import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { connectionAudit } from './connection/connection.audit.js';
import { providerAudit } from './provider/provider.audit.js';

/** Connections for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class ConnectionAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(connectionAudit);
    this.audit.register(providerAudit);
  }
}
