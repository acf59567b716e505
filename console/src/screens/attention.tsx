import { type Result, useCall } from '../api.js';
import { FirstStart } from '../first-start.js';
import { Age, Badge, Empty, List, Name, Screen, Sentence, Shown, Table } from '../parts.js';
import { addressOf } from '../router.js';
import { RecordLink } from '../screens.js';
import { organization } from '../state.js';

export default function Attention() {
  const orgID = organization.value?.id;
  // One record says whether there is anything yet.
  const deployments = useCall(orgID ? 'listDeployments' : null, { query: { orgID, pagesize: 1 } });
  const isNew = deployments.data?.total_count === 0;
  const isUsed = deployments.error !== undefined || (deployments.data?.total_count ?? 0) > 0;
  return (
    <Screen title="Needs attention">
      {isNew && <FirstStart />}
      {orgID && isUsed && (
        <List operation="listAttention" options={{ query: { orgID } }}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty>Nothing needs attention: what you see is healthy and in sync, and no request waits for you.</Empty>
            ) : (
              <Table
                caption="In all workspaces that you see"
                rows={items}
                columns={[
                  { title: 'What', cell: ({ kind }) => <Badge>{kind}</Badge> },
                  {
                    title: 'Where',
                    cell: (item) => (
                      <a href={addressOf(pathOf(item, orgID))}>
                        <Name>{item.subject.name}</Name>
                      </a>
                    ),
                  },
                  { title: 'Type', wide: true, cell: ({ subject }) => subject.type },
                  { title: 'Reason', cell: ({ reason }) => <Sentence>{reason}</Sentence> },
                  { title: 'For', cell: ({ since }) => <Age at={since} /> },
                ]}
              />
            )
          }
        </List>
      )}
      <Favourites />
    </Screen>
  );
}

type Item = Result<'listAttention'>['items'][number];

function pathOf({ kind, subject: { type, id }, workspace_id }: Item, orgID: string): string {
  switch (type) {
    case 'deployment':
      return `/deployments/${id}${kind === 'approval' ? '/plan' : ''}`;
    case 'environment':
      return `/environments/${id}`;
    case 'webhook':
      return workspace_id ? `/workspaces/${workspace_id}` : '/';
    case 'connection':
      return `/organizations/${orgID}/connections`;
  }
}

function Favourites() {
  const answer = useCall('listFavourites');
  return (
    <section>
      <h2>Favourites</h2>
      <Shown answer={answer}>
        {({ favourites }) =>
          favourites.length === 0 ? (
            <Empty>None yet: designs, deployments, environments and workspaces have a button for it.</Empty>
          ) : (
            <ul class="plain">
              {favourites.map(({ type, id, name, path }) => (
                <li key={id}>
                  <RecordLink path={path}>
                    <Name>{name}</Name>
                  </RecordLink>{' '}
                  <span class="quiet">{type}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
