import { useState } from 'react';
import { newDraft, type AnswerDraft, type Question } from './answer-draft';

export interface KeptDraft {
  answers: AnswerDraft;
  comment: string;
}

const keptMax = 50;

/** What was entered and not sent, by request and round, for as long as the tab lives. The oldest goes first. */
class DraftStore {
  private readonly kept = new Map<string, KeptDraft>();

  get(key: string): KeptDraft | undefined {
    return this.kept.get(key);
  }

  keep(key: string, draft: KeptDraft): void {
    this.kept.delete(key);
    this.kept.set(key, draft);
    const [oldest] = this.kept.keys();
    if (this.kept.size > keptMax && oldest !== undefined) this.kept.delete(oldest);
  }

  drop(key: string): void {
    this.kept.delete(key);
  }
}

export const drafts = new DraftStore();

/** The draft of a form, found again when the page is left and opened anew. */
export function useDraft(
  key: string,
  questions: readonly Question[],
): [KeptDraft, (change: (before: KeptDraft) => KeptDraft) => void] {
  const [draft, setDraft] = useState<KeptDraft>(() => drafts.get(key) ?? { answers: newDraft(questions), comment: '' });
  const change = (next: (before: KeptDraft) => KeptDraft): void =>
    setDraft((before) => {
      const after = next(before);
      drafts.keep(key, after);
      return after;
    });
  return [draft, change];
}
