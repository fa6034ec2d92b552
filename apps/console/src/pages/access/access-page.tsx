import { useFilters } from '../../api/filters';
import { Page, Tabs } from '../../ui';
import { AuditTab } from './audit-tab';
import { ConnectionsTab } from './connections/connections-tab';
import { KeysTab } from './keys-tab';
import { PrincipalsTab } from './principals-tab';
import { RolesTab } from './roles-tab';

/** Who may do what: principals, roles, keys, accounts at other services, and what was changed. */
export default function AccessPage() {
  const [{ view = 'principals' }, setFilters] = useFilters();
  return (
    <Page title="Access">
      <Tabs
        label="Access"
        value={view}
        onChange={(next) => setFilters({ view: next === 'principals' ? '' : next, entry: '' })}
        tabs={[
          { value: 'principals', label: 'Principals', content: <PrincipalsTab /> },
          { value: 'roles', label: 'Roles', content: <RolesTab /> },
          { value: 'keys', label: 'Keys', content: <KeysTab /> },
          { value: 'connections', label: 'Connections', content: <ConnectionsTab /> },
          { value: 'audit', label: 'Audit', content: <AuditTab /> },
        ]}
      />
    </Page>
  );
}
