import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { artifactAudit } from './artifact/artifact.audit.js';

/** Files for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class ArtifactAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(artifactAudit);
  }
}
