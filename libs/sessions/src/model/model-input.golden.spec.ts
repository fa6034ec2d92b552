import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ManualClock, openedResponse } from '@aos/kernel/testing';
import {
  Egress,
  EgressFailure,
  type EgressRequest,
  type OpenedResponse,
  type JsonObject,
  type ModelOption,
  type ModelRequest,
} from '@aos/kernel';
import { DocumentTexts } from '@aos/platform';
import type { Decisions } from '@aos/platform';
import type { ActivePrincipals, OrganizationContext } from '@aos/access/published';
import type { RecallQueries, SkillDirectory } from '@aos/definitions/published';
import type { Row, SessionEvent } from '../session/session.events.js';
import { sessionKind, type OpenTurn } from '../session/session.state.js';
import type { OutputContract } from '../turn/output-contract.js';
import { MediaSources } from './media-sources.js';
import { ModelInput } from './model-input.js';
import { ModelWindows } from './model-window.js';
import { SystemText } from './system-text.js';
import type { Toolbox, ToolContext } from '../calls/toolbox.js';

/** What a case starts from, and what the model is given: text of the files in `golden/`. */
interface Golden {
  about: string;
  agent: { system_prompt: string; skill_ids?: string[] };
  organization: string;
  skills: { name: string; description?: string }[];
  memory: string;
  model: { vision: boolean; documents: boolean };
  /** What lies at addresses: base 64, or a refusal. */
  web: Record<string, { type: string; data: string } | { failure: EgressFailure['reason'] }>;
  rows: (Partial<Row> & Pick<Row, 'role' | 'content'> & { summary?: boolean })[];
  first_of_turn: number;
  given: { system: string; turn_start: number; tokens: number; messages: JsonObject[] };
  asked: string[];
}

const folder = join(__dirname, 'golden');
const cases = readdirSync(folder)
  .sort()
  .map((file) => ({ file, ...(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden) }));

class Web extends Egress {
  readonly asked: string[] = [];

  constructor(private readonly pages: Golden['web']) {
    super();
  }

  override async open({ url }: EgressRequest): Promise<OpenedResponse> {
    this.asked.push(url);
    const page = this.pages[url];
    if (!page || 'failure' in page) throw new EgressFailure(page?.failure ?? 'unreachable', false, 'no');
    return openedResponse({
      status: 200,
      headers: { 'content-type': page.type },
      body: Buffer.from(page.data, 'base64'),
    });
  }

  override sendMail(): Promise<never> {
    return Promise.reject(new Error('no mail leaves this test'));
  }

  override refusal(): null {
    return null;
  }
}

function eventsOf(rows: Golden['rows']): SessionEvent[] {
  return rows.map(({ summary, ...given }, index): SessionEvent => {
    const row = {
      id: `msg_${index}`,
      entry_type: 'message',
      sequence: index + 1,
      turn_id: null,
      turn_index: null,
      created_at: '2026-01-01T00:00:00.000Z',
      ...given,
    } as Row;
    if (!summary) return { type: 'MessageAppended', data: { row } };
    return {
      type: 'TranscriptSummarised',
      data: { pass: {} as never, usage: {}, row: { ...row, role: 'compaction', entry_type: 'compaction' } },
    };
  });
}

async function requestOf(golden: Golden, web: Web): Promise<ModelRequest> {
  const events = eventsOf(golden.rows);
  const read = async (_kind: unknown, _id: string, { from }: { from: number }) =>
    events.slice(from).map((event, index) => ({ ...event, revision: from + index }));
  const decisions = { ownEvents: () => null, read } as unknown as Decisions;
  const windows = new ModelWindows(decisions);
  const systemText = new SystemText(
    { textOf: async () => golden.organization } as unknown as OrganizationContext,
    { skills: async () => golden.skills.map((wire) => ({ wire })) } as unknown as SkillDirectory,
    { contextText: async () => golden.memory } as unknown as RecallQueries,
    { activeKind: async () => null } as unknown as ActivePrincipals,
  );
  const input = new ModelInput(
    windows,
    systemText,
    { tools: async () => [] } as unknown as Toolbox,
    {} as OutputContract,
    new MediaSources(web, new ManualClock(), decisions, new DocumentTexts(new ManualClock())),
  );
  const turn = {
    calls: 0,
    firstSequence: golden.first_of_turn,
    input: { principal_kind: 'service', principal_id: 'svc_a' },
  } as unknown as OpenTurn;
  const context = {
    orgId: 'org_a',
    sessionId: 'ses_a',
    turn,
    agent: { id: 'agent_a', wire: { memory_enabled: true, ...golden.agent } },
  } as unknown as ToolContext;
  const option: ModelOption = {
    id: 'm',
    provider: 'p',
    label: 'M',
    contextWindowTokens: 1000,
    plans: null,
    ...golden.model,
  };
  const state = sessionKind.initial();
  return input.request(
    context,
    state,
    option,
    await input.gather(context, state, events.length - 1),
    new AbortController().signal,
  );
}

/** Bytes as base 64, so that a case can be read and compared. */
const shown = (request: ModelRequest): Golden['given'] => ({
  system: request.system,
  turn_start: request.turnStart,
  tokens: request.contextTokens,
  messages: request.messages.map(({ role, content }) => ({
    role,
    content: content.map((block) =>
      'bytes' in block ? { ...block, bytes: Buffer.from(block.bytes).toString('base64') } : block,
    ) as unknown as JsonObject[],
  })),
});

describe('what the model is given (rule R44)', () => {
  it.each(cases.map((golden) => [`${golden.file}: ${golden.about}`, golden] as const))('%s', async (_name, golden) => {
    const web = new Web(golden.web);
    expect({ given: shown(await requestOf(golden, web)), asked: web.asked.sort() }).toEqual({
      given: golden.given,
      asked: golden.asked,
    });
  });
});
