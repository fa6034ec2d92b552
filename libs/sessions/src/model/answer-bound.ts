import { jsonSize, type ModelBlock, type ModelEvent, ModelFailure } from '@aos/kernel';

/** What a block counts besides what stands in it. */
const blockSize = 4 * 1024;

/** Of one answer: texts, thinking and the inputs of calls. */
export const answerSizeMax = 8 * 1024 * 1024;

/**
 * Bounds one answer of a model (rule L23): it is held whole in memory as it comes, in the log, and in each page of the
 * transcript that has it.
 */
export class AnswerBound {
  private closed = 0;
  private open = 0;

  /** Refuses ModelFailure with the event that goes over. */
  take(event: ModelEvent): void {
    if (event.type === 'text_delta') this.open += event.text.length;
    else if (event.type === 'thinking_delta') this.open += event.thinking.length;
    else if (event.type === 'block_start') this.open += blockSize;
    else if (event.type === 'block_stop') {
      this.closed += blockSize + sizeOf(event.block);
      this.open = 0;
    }
    if (this.closed + this.open > answerSizeMax)
      throw new ModelFailure(`the answer is larger than ${answerSizeMax} characters`, false);
  }
}

function sizeOf(block: ModelBlock): number {
  if (block.type === 'text') return block.text.length;
  if (block.type === 'thinking') return block.thinking.length + (block.signature?.length ?? 0);
  return block.type === 'tool_use' ? block.id.length + block.name.length + jsonSize(block.input) : 0;
}
