import { useSignal } from '@preact/signals';
import { call, refresh, useCall } from './api.js';
import { ClusterForm } from './cluster-form.js';
import { Badge, Cause, Failure, Name } from './parts.js';
import { usePermissions } from './permissions.js';
import { addressOf, navigate } from './router.js';
import { isAdminOf, organization, workspaceId } from './state.js';

const EXAMPLE = `apiVersion: v1
kind: ConfigMap
metadata: { name: hello }
data: { greeting: Hello from the example }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: hello, labels: { app: hello } }
spec:
  replicas: 1
  selector: { matchLabels: { app: hello } }
  template:
    metadata: { labels: { app: hello } }
    spec:
      containers:
        - name: web
          image: registry.k8s.io/pause:3.10
          envFrom: [{ configMapRef: { name: hello } }]
---
apiVersion: v1
kind: Service
metadata: { name: hello }
spec: { selector: { app: hello }, ports: [{ port: 80 }] }
`;

/** Three steps that lead to the first deployment. */
export function FirstStart() {
  const orgID = organization.value?.id ?? '';
  const workspace = workspaceId.value;
  const connections = useCall('listConnections', { query: { orgID, pagesize: 50 } });
  const designs = useCall('listDesigns', { query: { orgID, pagesize: 1, order: 'created_at desc' } });
  const permissions = usePermissions(workspace ?? undefined);
  const failure = useSignal<Error | null>(null);
  const busy = useSignal(false);
  const isAdmin = isAdminOf(orgID);
  const clusters = connections.data?.connections.filter(({ kind }) => kind === 'kubernetes') ?? [];
  const design = designs.data?.patterns[0];
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    busy.value = true;
    failure.value = null;
    await work().catch((error: unknown) => (failure.value = error as Error));
    busy.value = false;
  };
  const importExample = permissions('design.create');
  return (
    <section>
      <h2>The first deployment, in three steps</h2>
      <ol class="steps">
        <li>
          <strong>Register a cluster</strong> {clusters.length > 0 && <Badge>ready</Badge>}
          {clusters.map(({ id, name, status }) => (
            <p key={id}>
              <Name>{name}</Name> <Badge>{status}</Badge>
            </p>
          ))}
          {clusters.length === 0 &&
            (isAdmin ? (
              <>
                <ClusterForm
                  orgID={orgID}
                  onDone={({ connected }) => {
                    const ids = connected.flatMap(({ connection_id }) => connection_id ?? []);
                    if (workspace && ids.length > 0) void attempt(() => makeEnvironment(orgID, workspace, ids));
                  }}
                />
                <details>
                  <summary>There is no cluster yet</summary>
                  <p>Each of these makes one on this machine:</p>
                  <pre>{`kind create cluster\nk3d cluster create\nkwokctl create cluster   # pods only seem to run`}</pre>
                  <p>
                    Without a cluster you can import designs, look at their pictures and versions, and validate them;
                    plans and deployments need one.
                  </p>
                </details>
              </>
            ) : (
              <Cause action="Register a cluster" reason="it needs an admin of the organization" />
            ))}
        </li>
        <li>
          <strong>Import a design</strong> {design && <Badge>ready</Badge>}
          {design ? (
            <p>
              <a href={addressOf(`/designs/${design.id}`)}>
                <Name>{design.name}</Name>
              </a>
            </p>
          ) : importExample.allowed && workspace ? (
            <p class="row">
              <button
                type="button"
                aria-disabled={busy}
                onClick={() =>
                  void attempt(async () => {
                    const file = new File([EXAMPLE], 'hello.yaml');
                    await call('importDesign', { body: { file, name: 'hello', workspace_id: workspace } });
                    refresh((operation) => operation === 'listDesigns');
                  })
                }
              >
                Use the example
              </button>
              <a href={addressOf(`/workspaces/${workspace}/import`)}>or a file of your own</a>
            </p>
          ) : (
            <Cause action="Import a design" reason={importExample.reason ?? 'no workspace'} />
          )}
        </li>
        <li>
          <strong>Plan and deploy</strong>
          {design && clusters.length > 0 ? (
            <p>
              <button type="button" class="primary" onClick={() => navigate(`/designs/${design.id}`)}>
                Plan {design.name}
              </button>
            </p>
          ) : (
            <p class="quiet">After the first two.</p>
          )}
        </li>
      </ol>
      {failure.value && <Failure error={failure.value} />}
    </section>
  );
}

/** Designs are deployed to environments: the first cluster gets one, in the workspace that is open. */
async function makeEnvironment(orgID: string, workspace: string, connections: string[]): Promise<void> {
  const { id } = await call('createEnvironment', {
    body: { name: 'development', organization_id: orgID, tier: 'development' },
  });
  for (const connectionID of connections)
    await call('addEnvironmentConnection', { path: { environmentID: id, connectionID } });
  await call('assignWorkspaceEnvironment', { path: { id: workspace, envID: id } });
}
