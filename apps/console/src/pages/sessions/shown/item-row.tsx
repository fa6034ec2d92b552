import { memo } from 'react';
import { MessageRow } from '../rows/message-row';
import { QuestionRow } from '../rows/question-row';
import { TurnEnd, TurnLine } from '../rows/turn-rows';
import type { Item } from '../transcript/transcript-items';

/** One thing of a transcript. */
export const ItemRow = memo(function ItemRow({ item }: { item: Item }) {
  switch (item.kind) {
    case 'row':
      return <MessageRow rowId={item.rowId} kind={item.row} isContinued={item.isContinued} />;
    case 'turn':
      return <TurnLine turnId={item.turnId} />;
    case 'end':
      return <TurnEnd turnId={item.turnId} />;
    case 'question':
      return <QuestionRow interactionId={item.interactionId} />;
  }
});
