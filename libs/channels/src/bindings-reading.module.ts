import { Module, type OnModuleInit } from '@nestjs/common';
import { WriterProjections } from '@aos/platform';
import { ConnectionsReadingModule } from '@aos/connections/published';
import { BindingDirectory } from './binding/binding-directory.js';
import { bindingsProjection } from './binding/binding.projection.js';
import { MessagingAccounts } from './binding/messaging-accounts.js';

const parts = [BindingDirectory, MessagingAccounts];

/** Bindings and their accounts without the routes. */
@Module({ imports: [ConnectionsReadingModule], providers: parts, exports: parts })
export class BindingsReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(bindingsProjection);
  }
}
