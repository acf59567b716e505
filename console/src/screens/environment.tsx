import { refresh, useCall } from '../api.js';
import { Favourite } from '../favourite.js';
import { Action, Age, Badge, Empty, List, Name, Screen, Shown, Table, Time } from '../parts.js';
import { addressOf } from '../router.js';
import { isAdminOf } from '../state.js';

export default function Environment({ id }: { id: string }) {
  const answer = useCall('getEnvironment', { path: { id } });
  const environment = answer.data;
  return (
    <Screen
      title={environment?.name ?? 'Environment'}
      actions={environment && <Favourite type="environment" id={id} />}
    >
      <Shown answer={answer}>
        {({ tier, status, required_approvals, drift, description, organization_id }) => (
          <>
            <dl class="facts">
              <dt>Tier</dt>
              <dd>
                <Badge>{tier}</Badge> {status === 'archived' && <Badge>archived</Badge>}
              </dd>
              <dt>Approvals</dt>
              <dd>{required_approvals} needed</dd>
              <dt>Drift</dt>
              <dd>{drift === 'strict' ? 'fields of the design, and what others add' : 'fields of the design'}</dd>
              {description && (
                <>
                  <dt>Description</dt>
                  <dd>
                    <Name>{description}</Name>
                  </dd>
                </>
              )}
            </dl>
            <h2>Deployed here</h2>
            <List
              operation="listDeployments"
              options={{
                query: {
                  environment_id: id,
                  orgID: organization_id,
                  filter: '{"deployed":true}',
                  order: 'name',
                  pagesize: 50,
                },
              }}
            >
              {({ deployments }) =>
                deployments.length === 0 ? (
                  <Empty>Nothing that you see is deployed here.</Empty>
                ) : (
                  <Table
                    caption="Deployments"
                    rows={deployments}
                    columns={[
                      {
                        title: 'Name',
                        cell: (each) => (
                          <a href={addressOf(`/deployments/${each.id}`)}>
                            <Name>{each.name}</Name>
                          </a>
                        ),
                      },
                      { title: 'Version', cell: (each) => each.design_version },
                      { title: 'Status', cell: (each) => <Badge>{each.status}</Badge> },
                      { title: 'Health', cell: (each) => (each.health ? <Badge>{each.health.status}</Badge> : '–') },
                      { title: 'Age', cell: (each) => <Age at={each.created_at} /> },
                    ]}
                  />
                )
              }
            </List>
            <Connections id={id} orgID={organization_id} />
            {isAdminOf(organization_id) && <Freezes id={id} />}
          </>
        )}
      </Shown>
    </Screen>
  );
}

function Connections({ id, orgID }: { id: string; orgID: string }) {
  const isAdmin = isAdminOf(orgID);
  const others = useCall(isAdmin ? 'listEnvironmentConnections' : null, {
    path: { environmentID: id },
    query: { filter: '{"assigned":false}', pagesize: 100 },
  });
  return (
    <section>
      <h2>Connections</h2>
      <List operation="listEnvironmentConnections" options={{ path: { environmentID: id }, query: {} }}>
        {({ connections }) =>
          connections.length === 0 ? (
            <Empty>No connection: nothing can be deployed here yet.</Empty>
          ) : (
            <Table
              caption="Connections of this environment"
              rows={connections}
              columns={[
                { title: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                { title: 'Kind', cell: ({ kind }) => kind },
                { title: 'Status', cell: ({ status }) => <Badge>{status}</Badge> },
              ]}
            />
          )
        }
      </List>
      {(others.data?.connections ?? []).map((each) => (
        <p key={each.id}>
          <Name>{each.name}</Name>{' '}
          <Action
            label="Add to this environment"
            operation="addEnvironmentConnection"
            options={() => ({ path: { environmentID: id, connectionID: each.id } })}
            onDone={() => refresh((operation) => operation === 'listEnvironmentConnections')}
          />
        </p>
      ))}
    </section>
  );
}

function Freezes({ id }: { id: string }) {
  return (
    <section>
      <h2>Freezes</h2>
      <List operation="listFreezes" options={{ path: { id }, query: {} }}>
        {({ freezes }) =>
          freezes.length === 0 ? (
            <Empty>None.</Empty>
          ) : (
            <Table
              caption="Freezes"
              rows={freezes}
              columns={[
                {
                  title: 'Name',
                  cell: ({ name, active }) => (
                    <>
                      <Name>{name}</Name> {active && <Badge>frozen</Badge>}
                    </>
                  ),
                },
                { title: 'Message', cell: ({ message }) => <Name>{message}</Name> },
                { title: 'From', cell: ({ next_starts_at, starts_at }) => <Time at={next_starts_at ?? starts_at} /> },
                { title: 'To', cell: ({ next_ends_at, ends_at }) => <Time at={next_ends_at ?? ends_at} /> },
              ]}
            />
          )
        }
      </List>
    </section>
  );
}
