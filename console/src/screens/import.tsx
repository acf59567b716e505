import type { DesignPreviewView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { useCall } from '../api.js';
import {
  Badge,
  Calls,
  Cause,
  Empty,
  Failure,
  Field,
  Name,
  onSubmit,
  Picture,
  type Permission,
  Screen,
  Shown,
  useAction,
} from '../parts.js';
import { usePermissions } from '../permissions.js';
import { ClusterImport } from '../cluster-import.js';
import { navigate } from '../router.js';

export default function Import({ id }: { id: string }) {
  const answer = useCall('getWorkspace', { path: { id } });
  const permissions = usePermissions(id);
  return (
    <Screen title="Import a design">
      <Shown answer={answer}>
        {({ name, organization_id }) => (
          <>
            <p>
              Into <Name>{name}</Name>: Kubernetes manifests, a Helm chart, a kustomization, a Compose file or a design.
            </p>
            <ImportForm workspaceId={id} orgID={organization_id} permission={permissions('design.create')} />
            {permissions('design.create').allowed && (
              <details>
                <summary>
                  <h2 class="inline">From a cluster</h2>
                </summary>
                <ClusterImport workspaceId={id} orgID={organization_id} />
              </details>
            )}
          </>
        )}
      </Shown>
    </Screen>
  );
}

function ImportForm({
  workspaceId,
  orgID,
  permission,
}: {
  workspaceId: string;
  orgID: string;
  permission: Permission;
}) {
  const file = useSignal<File | null>(null);
  const name = useSignal('');
  const over = useSignal(false);
  const preview = useSignal<DesignPreviewView | null>(null);
  const body = () => ({
    file: file.value ?? undefined,
    workspace_id: workspaceId,
    organization_id: orgID,
    ...(name.value && { name: name.value }),
  });
  const reading = useAction(
    'importDesign',
    () => ({ body: { ...body(), save: false } }),
    (read) => (preview.value = read as DesignPreviewView),
  );
  const keeping = useAction(
    'importDesign',
    () => ({ body: body() }),
    (kept) => navigate(`/designs/${(kept as { id: string }).id}`),
  );
  const take = (chosen: File | undefined | null): void => {
    if (!chosen) return;
    file.value = chosen;
    preview.value = null;
    reading.run();
  };
  if (!permission.allowed) return <Cause action="Import" reason={permission.reason ?? 'not allowed'} />;
  return (
    <form onSubmit={onSubmit(keeping.run)}>
      <div
        class={over.value ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          over.value = true;
        }}
        onDragLeave={() => (over.value = false)}
        onDrop={(event) => {
          event.preventDefault();
          over.value = false;
          take(event.dataTransfer?.files[0]);
        }}
      >
        <Field label="File" hint="Or drop it here. It is read and shown before it is kept.">
          {(field) => <input id={field} type="file" onChange={(event) => take(event.currentTarget.files?.[0])} />}
        </Field>
      </div>
      <Field label="Name of the design" hint="Empty: the name of the file.">
        {(field) => (
          <input
            id={field}
            maxLength={255}
            dir="auto"
            value={name}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        )}
      </Field>
      {reading.busy && <Empty>Reading the file…</Empty>}
      {reading.error && <Failure error={reading.error} />}
      {preview.value && <Understood preview={preview.value} />}
      {file.value && (
        <div class="row">
          <button type="submit" class="primary" aria-disabled={keeping.busy}>
            Import
          </button>
          <Calls operation="importDesign" options={() => ({ body: body() })} />
        </div>
      )}
      {keeping.error && <Failure error={keeping.error} />}
    </form>
  );
}

function Understood({ preview }: { preview: DesignPreviewView }) {
  const { source_type, name, canSupport, errmsg, warnings, components, picture } = preview;
  return (
    <section aria-label="What was read">
      <h2>What was read</h2>
      <p>
        <Badge>{source_type}</Badge> <Name>{name}</Name>, {components} {components === 1 ? 'component' : 'components'}
      </p>
      {!canSupport && <p class="state failure">It cannot be deployed as it is: {errmsg}</p>}
      {warnings.map(({ file, line, detail, remedy }) => (
        <p class="banner">
          {file && <Name>{line ? `${file}:${line}: ` : `${file}: `}</Name>}
          <Name>{detail}</Name> {remedy}
        </p>
      ))}
      {picture && <Picture svg={picture} title={name} />}
    </section>
  );
}
