import { call } from '../../api/call';
import { useFilters } from '../../api/filters';
import { useItem } from '../../api/hooks';
import { Badge, Card, Facts, ItemView, JsonView, Page, Tabs } from '../../ui';
import type { CatalogAction } from './action-body';
import { ActionRuns } from './action-runs';
import { ActionUses } from './action-uses';
import { Effects } from './actions-page';
import { TryAction } from './try-action';

/** An action of the service itself: there is nothing to change, but to try and to look up. */
export function BuiltInAction({ name }: { name: string }) {
  const action = useItem(call('catalog', 'getAction', name));
  return (
    <Page
      title={name}
      back={{ to: '/actions', label: 'Actions' }}
      lead={<Badge tone="accent">built in</Badge>}
      call={action.call}
    >
      <ItemView item={action}>{(value) => <View action={value} />}</ItemView>
    </Page>
  );
}

function View({ action }: { action: CatalogAction }) {
  const [{ tab = 'about' }, setFilters] = useFilters();
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_18rem]">
      <Tabs
        label="Views of the action"
        value={tab}
        onChange={(next) => setFilters({ tab: next === 'about' ? '' : next })}
        tabs={[
          { value: 'about', label: 'About', content: <About action={action} /> },
          { value: 'try', label: 'Try', content: <TryAction action={action} /> },
          { value: 'runs', label: 'Runs', content: <ActionRuns action={action.name} /> },
        ]}
      />
      <ActionUses action={action.name} />
    </div>
  );
}

function About({ action }: { action: CatalogAction }) {
  return (
    <div className="flex flex-col gap-5">
      <Card title="About">
        <Facts
          facts={[
            action.title === undefined ? null : ['Title', action.title],
            action.description === undefined ? null : ['Description', action.description],
            ['Risk', action.risk],
            ['Effects', <Effects key="effects" annotations={action.annotations} />],
            ['Readiness', action.readiness.replace('_', ' ')],
          ]}
        />
      </Card>
      {action.input_schema && (
        <Card title="Input">
          <JsonView label="Input schema" value={action.input_schema} />
        </Card>
      )}
      {action.output_schema && (
        <Card title="Output">
          <JsonView label="Output schema" value={action.output_schema} />
        </Card>
      )}
    </div>
  );
}
