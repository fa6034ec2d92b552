import type { TranscriptMessage } from '@aos/client';
import { inOrder, kindOf, type Block } from '../sessions/transcript/transcript-items';
import { toolCallOf } from '../sessions/transcript/tool-call';
import type { ToolResult } from '../sessions/transcript/transcript-view';

/** One thing that a turn did, as far as its rows say it. */
export interface TurnStep {
  key: string;
  kind: 'input' | 'context' | 'model' | 'tool' | 'nudge' | 'outcome' | 'compaction';
  what: string;
  at: string;
  /** When it began, where `took` is known: a row is written at its end. */
  from: string;
  /** Milliseconds; null where the rows do not say it. */
  took: number | null;
  status: string | null;
}

/**
 * The steps of a turn: what came in, each call of the model (a row of the agent is one, and took from the row before
 * it), and each call of a tool (until the row of its result).
 */
export function turnSteps(
  rows: Iterable<TranscriptMessage>,
  resultOf: (callId: string) => ToolResult | undefined,
): TurnStep[] {
  const steps: TurnStep[] = [];
  let before: string | null = null;
  for (const row of inOrder(rows)) {
    const kind = kindOf(row);
    const at = row.created_at;
    const isLive = row.status === 'streaming';
    if (kind === 'assistant' || kind === 'partial') {
      const took = before === null || isLive ? null : Math.max(0, Date.parse(at) - Date.parse(before));
      steps.push({
        key: row.id,
        kind: 'model',
        what: saidText(row),
        at,
        from: before ?? at,
        took,
        status: isLive ? 'running' : null,
      });
      for (const block of row.content as Block[])
        if (block.type === 'tool_use') steps.push(toolStep(block, row, resultOf(String(block.id))));
    } else if (kind !== 'results') {
      const known = kind === 'user' || kind === 'system' ? 'input' : kind;
      steps.push({ key: row.id, kind: known, what: saidText(row), at, from: at, took: null, status: null });
    }
    before = at;
  }
  return steps;
}

/** Where a step lies in the time of all of them, from 0 to 1. */
export interface Span {
  from: number;
  length: number;
}

/** When each step was under way, beside the others; null for one of no length, and for all where no time passed. */
export function spansOf(steps: readonly TurnStep[]): (Span | null)[] {
  const begun = steps.map(({ from }) => Date.parse(from));
  const ended = steps.map(({ took }, index) => (begun[index] ?? 0) + (took ?? 0));
  const first = begun.reduce((least, at) => Math.min(least, at), Infinity);
  const whole = ended.reduce((most, at) => Math.max(most, at), -Infinity) - first;
  return steps.map(({ took }, index) =>
    took === null || whole <= 0 ? null : { from: ((begun[index] ?? first) - first) / whole, length: took / whole },
  );
}

function toolStep(block: Block, row: TranscriptMessage, result: ToolResult | undefined): TurnStep {
  const { id, name, status } = toolCallOf(block, result);
  const took = result === undefined ? null : Math.max(0, Date.parse(result.at) - Date.parse(row.created_at));
  return { key: `${row.id} ${id}`, kind: 'tool', what: name, at: row.created_at, from: row.created_at, took, status };
}

/** The beginning of what a row says; what it is made of where it says nothing. */
function saidText({ content }: TranscriptMessage): string {
  const blocks = content as Block[];
  const texts = blocks.map((block) =>
    block.type === 'text' ? block['text'] : block.type === 'reminder' ? block['content'] : '',
  );
  const said = texts.filter((text) => typeof text === 'string' && text !== '').join(' ');
  return said === '' ? [...new Set(blocks.map(({ type }) => type.replace('_', ' ')))].join(', ') : said.slice(0, 200);
}
