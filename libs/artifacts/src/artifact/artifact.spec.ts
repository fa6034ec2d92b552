import { given } from '@aos/kernel/testing';
import { loadContract } from '@aos/platform';
import { artifactDecider } from '../artifact.decider.js';
import type { ArtifactEvent, ArtifactRecord } from './artifact.events.js';
import { artifactKind } from './artifact.state.js';

const id = 'art_00000000000000000000000001';
const at = '2026-11-24T10:00:00.000Z';
const piece = { index: 0, digest: 'd'.repeat(64), bytes: 1 };
const record: ArtifactRecord = {
  id,
  org_id: 'org_a',
  owner: { kind: 'team', id: null },
  visibility: 'organization',
  container: null,
  session_id: null,
  name: 'n',
  mime_type: 'text/plain',
  size_bytes: 1,
  sha256: 'e'.repeat(64),
  metadata: null,
  conversion: null,
  created_at: at,
  created_by: 'svc_a',
  updated_at: at,
  updated_by: 'svc_a',
  deleted_at: null,
};
const opening = (upload: string) => ({ id: upload, artifact_id: id, org_id: 'org_a', begun_at: at });
const begun = (upload: string): ArtifactEvent => ({ type: 'UploadBegun', data: { upload: opening(upload), piece } });
const stored = (upload: string): ArtifactEvent => ({
  type: 'ArtifactStored',
  data: { artifact: record, upload_id: upload },
});
const deleted: ArtifactEvent = { type: 'ArtifactDeleted', data: { artifact: { ...record, deleted_at: at } } };
const abandon = (uploadId: string) => ({ uploadId, artifactId: id, orgId: 'org_a', reason: 'too_old' as const, at });
const after = (...events: ArtifactEvent[]) => given(artifactKind, ...events).state();
const typesOf = (events: readonly ArtifactEvent[]) => events.map(({ type }) => type);

describe('rule TE3: the first of stored and abandoned decides', () => {
  it('a slow writer stores nothing that is cleaned up, and names no more pieces', () => {
    const [gone] = artifactDecider.abandonUpload.decide(abandon('u'), after(begun('u')), 0);
    const state = after(begun('u'), gone as ArtifactEvent);
    const lost = expect.objectContaining({ details: { reason: 'upload_lost' } });
    expect(() => artifactDecider.storeArtifact.decide({ uploadId: 'u', artifact: record }, state, 0)).toThrow(lost);
    expect(() => artifactDecider.namePiece.decide({ uploadId: 'u', piece }, state, 0)).toThrow(lost);
  });

  it('what is stored is not abandoned', () => {
    expect(artifactDecider.abandonUpload.decide(abandon('u'), after(begun('u'), stored('u')), 0)).toEqual([]);
  });

  it('an upload that was abandoned before it began does not begin', () => {
    const [gone] = artifactDecider.abandonUpload.decide(abandon('u'), after(), 0);
    expect(() =>
      artifactDecider.beginUpload.decide({ upload: opening('u'), piece }, after(gone as ArtifactEvent), 0),
    ).toThrow(expect.objectContaining({ details: { reason: 'upload_lost' } }));
  });

  it('pieces are erased of uploads that are for nothing only', () => {
    const erase = (...events: ArtifactEvent[]) =>
      artifactDecider.eraseUploads.decide({ uploadIds: ['u', 'v'], at }, after(...events), 0);
    expect(erase(begun('u'), begun('v'), stored('u'))).toEqual([]);
    expect(erase(begun('u'), begun('v'), stored('u'), deleted)).toMatchObject([{ data: { upload_ids: ['u'] } }]);
  });
});

describe('rule TE5: uploads under one key', () => {
  it('the first that is stored is the artifact, the other is abandoned', () => {
    const second = artifactDecider.storeArtifact.decide(
      { uploadId: 'v', artifact: record },
      after(begun('u'), begun('v'), stored('u')),
      0,
    );
    expect(second).toMatchObject([{ type: 'UploadAbandoned', data: { upload_id: 'v', reason: 'stored_before' } }]);
  });

  it('a key whose artifact was deleted makes no other one', () => {
    const state = after(begun('u'), stored('u'), deleted);
    const gone = expect.objectContaining({ code: 'conflict', details: { reason: 'deleted' } });
    expect(() => artifactDecider.beginUpload.decide({ upload: opening('w'), piece }, state, 0)).toThrow(gone);
    expect(() => artifactDecider.storeArtifact.decide({ uploadId: 'u', artifact: record }, state, 0)).toThrow(gone);
  });

  it('so many go on at once and no more', () => {
    const many = Array.from({ length: 64 }, (_none, n) => begun(`u${n}`));
    expect(
      typesOf(artifactDecider.beginUpload.decide({ upload: opening('x'), piece }, after(...many.slice(1)), 0)),
    ).toEqual(['UploadBegun']);
    expect(() => artifactDecider.beginUpload.decide({ upload: opening('x'), piece }, after(...many), 0)).toThrow(
      expect.objectContaining({ details: { reason: 'too_many_uploads' } }),
    );
  });
});

describe('rules TE10, TE11: custody of an artifact', () => {
  const held: ArtifactRecord = { ...record, container: { kind: 'agent', id: 'agent_a' } };
  const of = (artifact: ArtifactRecord): ArtifactEvent => ({
    type: 'ArtifactStored',
    data: { artifact, upload_id: 'u1' },
  });
  const changed = (artifact: ArtifactRecord, wanted: object, changeId: string | null = null) =>
    artifactDecider.changeArtifactCustody.decide(
      {
        wanted: { confirmed: true, ...wanted },
        basis:
          changeId === null ? { kind: 'transfer', owner_is_gone: false } : { kind: 'disposition', change_id: changeId },
        judge: ({ owner, visibility }) => ({ owner, visibility }),
        at: '2026-11-25T00:00:00.000Z',
        by: 'user_b',
      },
      after(begun('u1'), of(artifact)),
      1,
    );

  it('leaves what holds it, changes once for each change of an audience, and a file of a session stays with that', () => {
    const [left] = changed(held, { detach: true });
    expect(left?.data).toMatchObject({ artifact: { container: null, updated_by: 'user_b' } });
    expect(changed(record, { detach: true })).toEqual([]);
    const [disposed] = changed(record, {}, 'c1');
    expect(disposed?.data).toMatchObject({ artifact: { dispositions_done: ['c1'] } });
    expect(changed({ ...record, dispositions_done: ['c1'] }, {}, 'c1')).toEqual([]);
    expect(() => changed({ ...held, session_id: 'ses_a' }, { detach: true })).toThrow(
      expect.objectContaining({ code: 'conflict', details: { reason: 'session_file' } }),
    );
    expect(() => changed({ ...record, deleted_at: at }, {})).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('rule TE1: beside a release that does not know files', () => {
  it('TE1: every operation that writes of them says that it may have to wait', () => {
    const { operations, document } = loadContract();
    const conflicts = ({ path, method }: { path: string; method: string }) => {
      const codes = document.paths[path]?.[method.toLowerCase()]?.['x-error-codes'] as
        Record<string, string[]> | undefined;
      return codes?.['409'] ?? [];
    };
    const ofFiles = operations.filter(({ tags, method }) => tags.includes('artifacts') && method !== 'GET');
    const pending = ofFiles.filter((operation) => conflicts(operation).includes('upgrade_pending'));
    const readsOnly = ['createArtifactSignedUrl']; // seals what it stands for, and writes nothing
    expect(pending.map(({ operationId }) => operationId).sort()).toEqual([
      'createArtifact',
      'createSessionAttachment',
      'deleteArtifact',
      'deleteSessionAttachment',
    ]);
    expect(ofFiles.length).toBe(pending.length + readsOnly.length);
  });
});
