import { useSignal } from '@preact/signals';
import { Age, Empty, List, Name, Screen, Table } from '../parts.js';
import { addressOf } from '../router.js';
import { organization, workspaceId } from '../state.js';

export default function Designs() {
  const orgID = organization.value?.id;
  const search = useSignal('');
  const typed = useSignal('');
  if (!orgID) return <Screen title="Designs">{null}</Screen>;
  return (
    <Screen
      title="Designs"
      actions={workspaceId.value && <a href={addressOf(`/workspaces/${workspaceId.value}/import`)}>Import a design</a>}
    >
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          search.value = typed.value;
        }}
      >
        <input
          type="text"
          aria-label="Name of a design"
          placeholder="Name"
          value={typed}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <button type="submit">Filter</button>
      </form>
      <List operation="listDesigns" options={{ query: { orgID, order: 'updated_at desc', search: search.value } }}>
        {({ patterns }) =>
          patterns.length === 0 ? (
            <Empty>No designs here.</Empty>
          ) : (
            <Table
              caption="Designs, last changed first"
              rows={patterns}
              columns={[
                {
                  title: 'Name',
                  cell: ({ id, name }) => (
                    <a href={addressOf(`/designs/${id}`)}>
                      <Name>{name}</Name>
                    </a>
                  ),
                },
                { title: 'Type', wide: true, cell: ({ source_type }) => source_type },
                { title: 'Version', cell: ({ version_number }) => version_number },
                { title: 'Deployments', wide: true, cell: ({ deployment_count }) => deployment_count },
                { title: 'Changed', cell: ({ updated_at }) => <Age at={updated_at} /> },
              ]}
            />
          )
        }
      </List>
    </Screen>
  );
}
