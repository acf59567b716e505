import { useSignal } from '@preact/signals';
import { useCall } from '../api.js';
import { Deploying, useEnvironments } from '../deploying.js';
import { Favourite } from '../favourite.js';
import { Age, Badge, CopyButton, Empty, Failure, List, Name, Picture, Screen, Shown, Table, Time } from '../parts.js';
import { usePermissions } from '../permissions.js';
import { Value } from '../plan-details.js';
import { addressOf } from '../router.js';
import { chooseOrganization, chooseWorkspace } from '../state.js';

export default function Design({ id }: { id: string }) {
  const answer = useCall('getDesign', { path: { id } });
  const design = answer.data;
  const permissions = usePermissions(design?.workspace_id);
  const environments = useEnvironments(design?.workspace_id);
  if (design) {
    chooseOrganization(design.organization_id);
    chooseWorkspace(design.workspace_id);
  }
  const list = environments.data?.environments ?? [];
  return (
    <Screen title={design?.name ?? 'Design'} actions={design && <Favourite type="design" id={id} />}>
      <Shown answer={answer}>
        {({ source_type, version_number, updated_at, workspace_id, visibility }) => (
          <>
            <dl class="facts">
              <dt>Type</dt>
              <dd>{source_type}</dd>
              <dt>Version</dt>
              <dd>{version_number}</dd>
              <dt>Changed</dt>
              <dd>
                <Time at={updated_at} />
              </dd>
              <dt>Visible to</dt>
              <dd>{visibility}</dd>
              <dt>Workspace</dt>
              <dd>
                <a href={addressOf(`/workspaces/${workspace_id}`)}>which version is where</a>
              </dd>
            </dl>
            <h2>Deployments</h2>
            <List
              operation="listDesignDeployments"
              options={{ path: { id }, query: { order: 'created_at desc', pagesize: 20 } }}
            >
              {({ deployments }) =>
                deployments.length === 0 ? (
                  <Empty>Not deployed yet.</Empty>
                ) : (
                  <Table
                    caption="What is deployed where, last first"
                    rows={deployments}
                    columns={[
                      {
                        title: 'Environment',
                        cell: (each) => (
                          <a href={addressOf(`/deployments/${each.id}`)}>
                            <Name>{list.find((one) => one.id === each.environment_id)?.name ?? each.name}</Name>
                          </a>
                        ),
                      },
                      { title: 'Version', cell: (each) => each.design_version },
                      { title: 'Action', wide: true, cell: (each) => each.action },
                      { title: 'Status', cell: (each) => <Badge>{each.status}</Badge> },
                      { title: 'Health', cell: (each) => (each.health ? <Badge>{each.health.status}</Badge> : '–') },
                      { title: 'Age', cell: (each) => <Age at={each.created_at} /> },
                    ]}
                  />
                )
              }
            </List>
            <h2 id="deploy">Plan and deploy</h2>
            {environments.data && <Deploying designId={id} environments={list} permissions={permissions} />}
            <Drawn id={id} name={design?.name ?? ''} />
            <Versions id={id} current={version_number} />
          </>
        )}
      </Shown>
    </Screen>
  );
}

/** The server's picture, drawn when it is asked for. */
function Drawn({ id, name }: { id: string; name: string }) {
  const isOpen = useSignal(false);
  const answer = useCall(isOpen.value ? 'renderDesignDiagram' : null, { path: { id } });
  return (
    <details open={isOpen} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <h2 class="inline">Picture</h2>
      </summary>
      {isOpen.value && <Shown answer={answer}>{(svg) => <Picture svg={svg} title={name} />}</Shown>}
    </details>
  );
}

function Versions({ id, current }: { id: string; current: number }) {
  const from = useSignal<number | null>(null);
  return (
    <section>
      <h2>Versions</h2>
      <List operation="listDesignVersions" options={{ path: { id }, query: { pagesize: 20 } }}>
        {({ versions }) => (
          <Table
            caption="Versions"
            rows={versions}
            columns={[
              { title: 'Version', cell: ({ number }) => number },
              { title: 'Message', cell: ({ message }) => <Name>{message}</Name> },
              { title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
              {
                title: 'Differences',
                cell: ({ number }) =>
                  number === current ? (
                    'current'
                  ) : (
                    <button type="button" class="small" onClick={() => (from.value = number)}>
                      Compare {number} with {current}
                    </button>
                  ),
              },
            ]}
          />
        )}
      </List>
      {from.value !== null && <Difference id={id} from={from.value} to={current} />}
    </section>
  );
}

function Difference({ id, from, to }: { id: string; from: number; to: number }) {
  const answer = useCall('compareDesignVersions', { path: { id }, query: { from, to } } as never);
  if (answer.error) return <Failure error={answer.error} />;
  return (
    <section aria-label={`Differences between ${from} and ${to}`} aria-live="polite">
      <Shown answer={answer}>
        {({ equal, added, removed, changed }) => (
          <>
            {equal && <Empty>The versions are equal.</Empty>}
            <ul>
              {removed.map(({ kind, name }) => (
                <li>
                  <Badge>delete</Badge> {kind} <Name>{name}</Name>
                </li>
              ))}
              {added.map(({ kind, name }) => (
                <li>
                  <Badge>create</Badge> {kind} <Name>{name}</Name>
                </li>
              ))}
            </ul>
            {changed.map(({ kind, name, changes }) => (
              <div class="change">
                <strong>{kind}</strong> <Name>{name}</Name>
                {changes.map((change) => (
                  <div>
                    <code>{change.pointer}</code>
                    <div class="diff">
                      <Value title={`version ${from}`} value={change.from} />
                      <Value title={`version ${to}`} value={change.to} />
                    </div>
                  </div>
                ))}
              </div>
            ))}
            <CopyButton label="Copy as armature" text={() => `armature diff ${id} ${from} ${to}`} />
          </>
        )}
      </Shown>
    </section>
  );
}
