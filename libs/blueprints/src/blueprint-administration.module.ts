import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { memoryAudit, promotionAudit, resourceAudits } from '@aos/definitions/published';

/** Audit entries of definitions: for the process that serves the audit view. */
@Module({ imports: [AccessModule] })
export class BlueprintAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(...resourceAudits, memoryAudit, promotionAudit);
  }
}
