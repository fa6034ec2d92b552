import { Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Reply } from '@aos/contract';
import { Clock, messageOf, rfc3339 } from '@aos/kernel';
import { CallerCommand, Decisions, actorOf } from '@aos/platform';
import { sessionDecider } from '../session.decider.js';
import { Compactor } from '../compaction/compactor.js';
import { SessionDirectory } from '../reading/session-directory.js';
import { ModelWindows } from '../model/model-window.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionWire } from '../session/session.wire.js';
import { TranscriptRows } from '../reading/transcript-rows.js';
import { ImportedRows } from './imported-rows.js';
import { answeredToolUses } from './imports.decide.js';
import type { ImportMessagesDto } from './imports.dto.js';

const searchedRowsMax = 10_000;

export class AppendMessages extends CallerCommand<
  { session_id: string; body: ImportMessagesDto },
  Reply<'appendSessionMessages'>
> {}

@CommandHandler(AppendMessages)
export class AppendMessagesHandler implements ICommandHandler<AppendMessages> {
  private readonly log = new Logger('imports');

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: SessionDirectory,
    private readonly rows: TranscriptRows,
    private readonly windows: ModelWindows,
    private readonly compactor: Compactor,
    private readonly clock: Clock,
    private readonly importedRows: ImportedRows,
  ) {}

  async execute({
    who,
    input: { session_id: sessionId, body },
  }: AppendMessages): Promise<Reply<'appendSessionMessages'>> {
    const { state } = await this.directory.visible(who, sessionId, this.clock.now());
    const rows = await this.importedRows.of(who, body.messages);
    const command = {
      now: rfc3339(this.clock.now()),
      rows,
      usage: {
        input_tokens: body.token_input_total ?? 0,
        output_tokens: body.token_output_total ?? 0,
        cache_read_input_tokens: body.cache_read_input_total ?? 0,
        cache_creation_input_tokens: body.cache_creation_input_total ?? 0,
      },
      knownToolUses: await this.known(sessionId, state, answeredToolUses(rows)),
    };
    const decided = await this.decisions.decide(sessionDecider.importMessages, sessionId, actorOf(who), command);
    const wire = sessionWire(decided.state, decided.revision, who);
    await this.compactIfDue(who.orgId, sessionId).catch((error: unknown) => {
      // the rows are in the log: a caller that gets an error sends them again
      this.log.warn(`${sessionId}: no pass was begun: ${messageOf(error)}`);
    });
    return wire;
  }

  /** Which of these tool calls earlier rows made; looked for from the newest row back. */
  private async known(sessionId: string, state: SessionState, wanted: string[]): Promise<ReadonlySet<string>> {
    const missing = new Set(wanted);
    const found = new Set<string>();
    let before = Number.POSITIVE_INFINITY;
    for (let seen = 0; missing.size > 0 && seen < searchedRowsMax;) {
      const page = await this.rows.before(sessionId, state, before, 100, { context: false, partials: false });
      for (const row of page.rows) {
        for (const block of row.content)
          if (block.type === 'tool_use' && missing.delete(String(block.id))) found.add(String(block.id));
      }
      seen += page.rows.length;
      const [first] = page.rows;
      if (!page.more || !first) break;
      before = first.sequence;
    }
    return found;
  }

  private async compactIfDue(orgId: string, sessionId: string): Promise<void> {
    const { state, revision } = await this.decisions.load(sessionKind, sessionId);
    const window = await this.windows.upTo(sessionId, state, revision);
    const excess = await this.compactor.dueBetween(state, window.tokens);
    if (!excess) return;
    await this.compactor.start({ orgId, sessionId, trigger: 'append', claim: null, excess });
  }
}
