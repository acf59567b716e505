import type { ClusterImportView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { useCall } from './api.js';
import { Calls, Empty, Failure, Field, Name, onSubmit, Paged, Table, useAction } from './parts.js';
import { addressOf } from './router.js';

/** Makes designs of what runs in namespaces of a cluster, after it was shown. */
export function ClusterImport({ workspaceId, orgID }: { workspaceId: string; orgID: string }) {
  const query = { orgID, filter: '{"kind":"kubernetes"}', pagesize: 100, order: 'name' };
  const { data } = useCall('listConnections', { query });
  const connections = data?.connections ?? [];
  const chosen = useSignal('');
  const namespaces = useSignal('');
  const found = useSignal<{ isKept: boolean; view: ClusterImportView } | null>(null);
  const list = (): string[] => namespaces.value.split(/[\s,]/).filter(Boolean);
  const body = () => ({
    connection_id: chosen.value || (connections[0]?.id ?? ''),
    workspace_id: workspaceId,
    namespaces: namespaces.value.trim() === 'all' ? ('all' as const) : list(),
  });
  const reading = useAction(
    'importDesign',
    () => ({ body: { ...body(), preview: true } }),
    (read) => {
      found.value = { isKept: false, view: read as ClusterImportView };
    },
  );
  const keeping = useAction(
    'importDesign',
    () => ({ body: body() }),
    (kept) => {
      found.value = { isKept: true, view: kept as ClusterImportView };
    },
  );
  if (connections.length === 0) return <Empty>No cluster is registered.</Empty>;
  return (
    <form onSubmit={onSubmit(reading.run)}>
      <Field label="Cluster">
        {(field) => (
          <select
            id={field}
            value={chosen.value || connections[0]?.id}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
              found.value = null;
            }}
          >
            {connections.map(({ id, name }) => (
              <option key={id} value={id} dir="auto">
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Namespaces" hint="Names with commas between them, or the word all.">
        {(field) => (
          <input
            id={field}
            required
            value={namespaces}
            onInput={(event) => {
              namespaces.value = event.currentTarget.value;
              found.value = null;
            }}
          />
        )}
      </Field>
      <div class="row">
        <button type="submit" aria-disabled={reading.busy}>
          {reading.busy ? 'Reading the cluster…' : 'Show what it would be'}
        </button>
        <Calls operation="importDesign" options={() => ({ body: { ...body(), preview: true } })} />
      </div>
      {reading.error && <Failure error={reading.error} />}
      {found.value && <Found isKept={found.value.isKept} view={found.value.view} />}
      {found.value && !found.value.isKept && found.value.view.designs.length > 0 && (
        <div class="row">
          <button type="button" class="primary" aria-disabled={keeping.busy} onClick={keeping.run}>
            Keep these designs
          </button>
          <Calls operation="importDesign" options={() => ({ body: body() })} />
        </div>
      )}
      {keeping.error && <Failure error={keeping.error} />}
    </form>
  );
}

function Found({ isKept, view: { designs, left_out, warnings } }: { isKept: boolean; view: ClusterImportView }) {
  return (
    <section aria-label="Found on the cluster" aria-live="polite">
      {warnings.map(({ detail }) => (
        <p class="banner">
          <Name>{detail}</Name>
        </p>
      ))}
      {designs.length === 0 && <Empty>Nothing there would become a design.</Empty>}
      {designs.length > 0 && (
        <Table
          caption={isKept ? 'Designs that were made' : 'Designs that would be made'}
          rows={designs}
          columns={[
            {
              title: 'Name',
              cell: ({ id, name }) =>
                id ? (
                  <a href={addressOf(`/designs/${id}`)}>
                    <Name>{name}</Name>
                  </a>
                ) : (
                  <Name>{name}</Name>
                ),
            },
            { title: 'Namespace', cell: ({ namespace }) => <Name>{namespace}</Name> },
            { title: 'Type', wide: true, cell: ({ source_type }) => source_type },
            { title: 'Components', cell: ({ components }) => components },
            { title: 'Why', cell: ({ reason }) => <Name>{reason}</Name> },
            {
              title: 'Warnings',
              wide: true,
              cell: (each) => <Name>{each.warnings.map(({ detail }) => detail).join(' ') || '–'}</Name>,
            },
          ]}
        />
      )}
      {left_out.length > 0 && (
        <details>
          <summary>{left_out.length} left out</summary>
          <Paged rows={left_out}>
            {(rows) => (
              <Table
                caption="Left out"
                rows={rows}
                columns={[
                  { title: 'Kind', cell: ({ kind }) => kind },
                  { title: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                  { title: 'Code', cell: ({ code }) => <code>{code}</code> },
                  { title: 'Why', cell: ({ reason }) => <Name>{reason}</Name> },
                ]}
              />
            )}
          </Paged>
        </details>
      )}
    </section>
  );
}
