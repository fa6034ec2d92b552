import { MemoryEventStore } from '@aos/adapters/memory';
import { StoreUnavailable, type Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { loadContract, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { Compactor } from '../compaction/compactor.js';
import { ModelWindows } from '../model/model-window.js';
import type { SessionDirectory } from '../reading/session-directory.js';
import { TranscriptRows } from '../reading/transcript-rows.js';
import { openSession } from '../session/lifecycle.decide.js';
import { sessionKind } from '../session/session.state.js';
import { now, openingOf, sessionId } from '../testing/session.fixture.js';
import { InputFiles } from '../turn/input-files.js';
import { ImportedRows } from './imported-rows.js';
import { AppendMessages, AppendMessagesHandler } from './imports.handlers.js';

const who = { orgId: 'org_a', principalId: 'svc_a', kind: 'service', permissions: new Set() } as unknown as Identity;
const body = { messages: [{ role: 'user' as const, content: [{ type: 'text', text: 'hi' }] }] };

it('S46: messages that are in the log are answered as such, also when no pass can begin behind them', async () => {
  const clock = new ManualClock();
  const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock });
  const actor = serviceActor('org_a', 'svc_a', 'req_1');
  await decisions.run(sessionKind, sessionId, actor, (state) =>
    openSession({ open: openingOf(), now, reactivates: false, agentStatus: 'active' }, state),
  );
  const directory = { visible: () => decisions.load(sessionKind, sessionId) } as unknown as SessionDirectory;
  const compactor = {
    dueBetween: () => Promise.reject(new StoreUnavailable('the log does not answer')),
  } as unknown as Compactor;
  const handler = new AppendMessagesHandler(
    decisions,
    directory,
    new TranscriptRows(decisions),
    new ModelWindows(decisions),
    compactor,
    clock,
    new ImportedRows(loadContract(), new InputFiles()),
  );
  const session = await handler.execute(new AppendMessages(who, { session_id: sessionId, body }));
  expect(session).toMatchObject({ id: sessionId, message_count: 1 });
});
