import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule, AuditMappings } from '@aos/access/published';
import { bindingAudit } from './binding/binding.audit.js';

/** Messaging bindings for auditors: for the process that serves those. */
@Module({ imports: [AccessModule] })
export class ChannelAdministrationModule implements OnModuleInit {
  constructor(private readonly audit: AuditMappings) {}

  onModuleInit(): void {
    this.audit.register(bindingAudit);
  }
}
