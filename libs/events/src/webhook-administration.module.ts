import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { webhookAudit } from './webhook/webhook.audit.js';

/** Web hooks for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class WebhookAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(webhookAudit);
  }
}
