import type { ConnectionView } from '@armature/client';
import { refresh, useCall } from '../api.js';
import { ClusterForm } from '../cluster-form.js';
import { Action, Badge, Cause, Empty, List, Name, Screen, Table, Time } from '../parts.js';
import { chooseOrganization, isAdminOf, profile } from '../state.js';

export default function Connections({ id }: { id: string }) {
  const mine = profile.value?.organizations.find((each) => each.id === id);
  if (mine) chooseOrganization(id);
  const isAdmin = isAdminOf(id);
  const kinds = useCall(isAdmin ? 'listConnectionKinds' : null, { query: { pagesize: 100 } });
  const pings = new Set(kinds.data?.kinds.filter(({ ping }) => ping).map(({ kind }) => kind));
  return (
    <Screen title="Connections">
      <List operation="listConnections" options={{ query: { orgID: id, order: 'name' } }}>
        {({ connections }) =>
          connections.length === 0 ? (
            <Empty>No connections yet.</Empty>
          ) : (
            <Table
              caption="Clusters and other systems"
              rows={connections}
              columns={[
                { title: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                { title: 'Kind', wide: true, cell: ({ kind }) => kind },
                { title: 'Status', cell: ({ status }) => <Badge>{status}</Badge> },
                {
                  title: 'Environments',
                  wide: true,
                  cell: ({ environments }) => <Name>{environments?.map(({ name }) => name).join(', ') || '–'}</Name>,
                },
                { title: 'Changed', wide: true, cell: ({ updated_at }) => <Time at={updated_at} /> },
                ...(isAdmin
                  ? [
                      {
                        title: 'Ping',
                        cell: ({ id: connection, kind }: ConnectionView) =>
                          pings.has(kind) && (
                            <Action
                              label="Ping"
                              operation="pingConnection"
                              options={() => ({ path: { id: connection } })}
                              onDone={() => refresh((operation) => operation === 'listConnections')}
                            />
                          ),
                      },
                    ]
                  : []),
              ]}
            />
          )
        }
      </List>
      <h2>Register a cluster</h2>
      {isAdmin ? (
        <ClusterForm orgID={id} />
      ) : (
        <Cause action="Ping or register a cluster" reason="it needs an admin of the organization" />
      )}
    </Screen>
  );
}
