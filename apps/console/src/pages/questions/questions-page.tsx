import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useRows, type Rows } from '../../api/hooks';
import { useMe } from '../../api/permissions';
import { Page, Tabs } from '../../ui';
import { reviewersOf, type Interaction } from '../../questions/words';
import { HistoryFilters, historyQuery } from './history-filters';
import { QuestionTable } from './question-table';
import { useAgain } from '../../api/use-again';

const lookAgainMs = 10_000;

/** What the reader is asked, what waits for a review, and all that was asked. */
export default function QuestionsPage() {
  const [filters, setFilters] = useFilters();
  const { view = 'inbox' } = filters;
  const { principal } = useMe();
  const inbox = useRows(call('interactions', 'list', { inbox: true, status: 'pending', limit: 50 }));
  const reviews = useRows(call('interactions', 'list', { status: 'in_review', limit: 50 }));
  const history = useRows(call('interactions', 'list', { ...historyQuery(filters), limit: 50 }), {
    enabled: view === 'history',
  });
  // A request comes into review, and leaves it for another round, without an event.
  useAgain(view === 'reviews', reviews.reload, lookAgainMs);
  const mine = reviews.rows.filter((one) => reviewersOf(one).includes(principal.id));
  const shown = { inbox, reviews, history }[view] ?? inbox;
  return (
    <Page title="Questions" call={shown.call}>
      <Tabs
        label="Questions"
        value={view}
        onChange={(next) => setFilters({ view: next === 'inbox' ? '' : next })}
        tabs={[
          {
            value: 'inbox',
            label: <Counted text="Inbox" list={inbox} />,
            content: (
              <QuestionTable label="Questions to you" list={inbox}>
                <NothingToYou onAll={() => setFilters({ view: 'history', status: 'pending' })} />
              </QuestionTable>
            ),
          },
          {
            value: 'reviews',
            label: <Counted text="Reviews" list={{ ...reviews, rows: mine }} />,
            content: (
              <QuestionTable label="In review" list={reviews} reviewer={principal.id}>
                Work that is answered and waits for its reviewers stands here.
              </QuestionTable>
            ),
          },
          {
            value: 'history',
            label: 'All',
            content: (
              <div className="flex flex-col gap-4">
                <HistoryFilters filters={filters} onChange={setFilters} />
                <QuestionTable label="All questions" list={history}>
                  Agents ask with <code className="font-mono">svc.interaction.open</code>, programs with{' '}
                  <code className="font-mono">POST /v1/interactions</code>. No question matches what is chosen above.
                </QuestionTable>
              </div>
            ),
          },
        ]}
      />
    </Page>
  );
}

function Counted({ text, list }: { text: string; list: Rows<Interaction> }) {
  if (list.rows.length === 0) return text;
  return (
    <span>
      {text}{' '}
      <span className="text-muted tabular-nums">
        {list.rows.length}
        {list.hasMore && '+'}
      </span>
    </span>
  );
}

function NothingToYou({ onAll }: { onAll: () => void }) {
  return (
    <>
      Questions that agents and programs put to you appear here as they are asked.{' '}
      <button type="button" className="text-accent underline" onClick={onAll}>
        See what is put to others
      </button>
    </>
  );
}
