import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { definitionAudits } from './publishing/definitions.audit.js';
import { memoryAudit } from './publishing/memory.audit.js';

/** Audit entries of definitions: for the process that serves the audit view. */
@Module({ imports: [AccessModule] })
export class BlueprintAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(...definitionAudits, memoryAudit);
  }
}
