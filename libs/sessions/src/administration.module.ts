import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { sessionAudit } from './session/session.audit.js';

/** Sessions for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class SessionAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(sessionAudit);
  }
}
