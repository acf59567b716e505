import { Badge, List, Name, Screen, Table, Time } from '../parts.js';

export default function Members({ id }: { id: string }) {
  return (
    <Screen title="Members">
      <List operation="listOrganizationUsers" options={{ path: { orgId: id }, query: {} }}>
        {({ users }) => (
          <Table
            caption="Members of the organization"
            rows={users}
            columns={[
              { title: 'Email', cell: ({ email }) => <Name>{email}</Name> },
              {
                title: 'Name',
                wide: true,
                cell: ({ first_name, last_name }) => (
                  <Name>{[first_name, last_name].filter(Boolean).join(' ') || '–'}</Name>
                ),
              },
              { title: 'Role', cell: ({ role }) => <Badge>{role}</Badge> },
              { title: 'Kind', wide: true, cell: ({ kind, active }) => (active ? kind : `${kind}, deactivated`) },
              { title: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            ]}
          />
        )}
      </List>
    </Screen>
  );
}
