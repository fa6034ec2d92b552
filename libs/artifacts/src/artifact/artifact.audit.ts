import { upcastRecorded } from '@aos/kernel';
import type { AuditFact, AuditMapping } from '@aos/access/published';
import { artifactEvents, type ArtifactEvent } from './artifact.events.js';

const custodyFields = ['owner', 'visibility', 'container'];

/**
 * Who stored, handed on and deleted a file, for auditors (control S34). What an upload is made of is no change of its
 * own.
 */
export const artifactAudit: AuditMapping = {
  prefix: 'artifact-',
  facts(event): AuditFact[] {
    const { type, data } = upcastRecorded(artifactEvents, event) as ArtifactEvent;
    if (type !== 'ArtifactStored' && type !== 'CustodyChanged' && type !== 'ArtifactDeleted') return [];
    const { artifact } = data;
    const resource = { type: 'artifact', id: artifact.id, name: artifact.name };
    switch (type) {
      case 'ArtifactStored':
        return [{ action: 'artifact.created', resource, after: artifact }];
      case 'CustodyChanged':
        return [{ action: 'artifact.custody_changed', resource, changedFields: custodyFields, after: artifact }];
      case 'ArtifactDeleted':
        return [{ action: 'artifact.deleted', resource, after: null }];
    }
  },
};
