import { Injectable, Optional, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, EventStore, Ids, Leases, ReadStore } from '@aos/kernel';
import { OrderedProjector, Rebuilds } from '@aos/platform';
import { AuditMappings, auditCollection } from './audit-mapping.js';
import { OrderedAudit } from './ordered-audit.js';

const gather = { ms: 50 };

/** Builds the audit view from the log (rule A29): one row per fact, in log order. */
@Injectable()
export class AuditProjector implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly projector: OrderedProjector;

  constructor(
    mappings: AuditMappings,
    store: EventStore,
    readStore: ReadStore,
    leases: Leases,
    clock: Clock,
    ids: Ids,
    @Optional() rebuilds?: Rebuilds,
  ) {
    const audit = new OrderedAudit(mappings, store, readStore);
    rebuilds?.register(audit);
    this.projector = new OrderedProjector(
      {
        name: auditCollection,
        lease: `projector:${auditCollection}`,
        owner: `audit_${ids.ulid()}`,
        title: 'audit',
        gather,
        reading: () => ({ prefixes: audit.prefixes, batchMax: audit.batchMax }),
        of: (events) => audit.of(events),
      },
      { store, readStore, leases, clock },
    );
  }

  onApplicationBootstrap(): void {
    this.projector.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.projector.close();
  }

  /** Refuses `StoreUnavailable` while the view is being built. */
  requireBuilt(): Promise<void> {
    return this.projector.requireBuilt();
  }
}
