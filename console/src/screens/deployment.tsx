import type { DeploymentView, DriftView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { useCall } from '../api.js';
import { RollBack } from '../deploying.js';
import { Favourite } from '../favourite.js';
import {
  Action,
  Age,
  Badge,
  Empty,
  Failure,
  List,
  Name,
  Paged,
  Picture,
  Screen,
  Sentence,
  Shown,
  Table,
  Time,
} from '../parts.js';
import { Logs } from '../logs.js';
import { usePermissions } from '../permissions.js';
import { Value } from '../plan-details.js';
import { addressOf } from '../router.js';
import { chooseOrganization, chooseWorkspace } from '../state.js';

type Resource = DeploymentView['resources'][number];
type Drifted = DriftView['resources'][number];

const ACTIVE = new Set(['queued', 'running']);
/** Pictures of more are not read but searched. */
const MOST_NODES = 60;

export default function Deployment({ id }: { id: string }) {
  const answer = useCall('getDeployment', { path: { id } });
  const deployment = answer.data;
  const environment = useCall(deployment ? 'getEnvironment' : null, { path: { id: deployment?.environment_id ?? '' } });
  const permissions = usePermissions(deployment?.workspace_id);
  if (deployment) {
    chooseOrganization(deployment.organization_id);
    chooseWorkspace(deployment.workspace_id);
  }
  const stands = deployment?.status === 'succeeded';
  const drift = useCall(stands ? 'getDesignDrift' : null, {
    path: { id: deployment?.design_id ?? '' },
    query: { environment_id: deployment?.environment_id },
  });
  return (
    <Screen title={deployment?.name ?? 'Deployment'} actions={deployment && <Favourite type="deployment" id={id} />}>
      <Shown answer={answer}>
        {(record) => (
          <>
            <dl class="facts">
              <dt>Status</dt>
              <dd aria-live="polite">
                <Badge>{record.status}</Badge> {record.health && <Badge>{record.health.status}</Badge>}{' '}
                {record.queue_position !== null && `${record.queue_position} before it`}{' '}
                {ACTIVE.has(record.status) && <Progress resources={record.resources} />}
              </dd>
              <dt>Design</dt>
              <dd>
                <a href={addressOf(`/designs/${record.design_id}`)}>version {record.design_version}</a>
              </dd>
              <dt>Environment</dt>
              <dd>
                <a href={addressOf(`/environments/${record.environment_id}`)}>
                  <Name>{environment.data?.name ?? record.environment_id}</Name>
                </a>
              </dd>
              <dt>Started</dt>
              <dd>
                <Time at={record.started_at} />
              </dd>
              <dt>Ended</dt>
              <dd>
                <Time at={record.finished_at} />
              </dd>
            </dl>
            {record.status === 'pending_approval' && (
              <p class="banner">
                It waits for approval. <a href={addressOf(`/deployments/${id}/plan`)}>Plan and approval</a>
              </p>
            )}
            {record.error && (
              <p class="state failure">
                {record.error.code}: <Sentence>{record.error.detail}</Sentence> {record.error.remedy}
              </p>
            )}
            <Resources resources={record.resources} drift={drift.data} />
            {drift.error && <Failure error={drift.error} />}
            <DriftDetails drift={drift.data} />
            <Actions deployment={record} permissions={permissions} />
            <Logs
              deployment={record}
              permission={
                environment.data?.logs === 'viewer' ? { allowed: true, reason: null } : permissions('deployment.logs')
              }
            />
            <Drawn id={id} name={record.name} nodes={record.resources.length} />
            <Events id={id} orgID={record.organization_id} />
          </>
        )}
      </Shown>
    </Screen>
  );
}

function Progress({ resources }: { resources: Resource[] }) {
  const done = resources.filter(({ status }) => status !== 'pending' && status !== 'waiting').length;
  return (
    <>
      <progress aria-label="Resources done" value={done} max={Math.max(resources.length, 1)} /> {done} of{' '}
      {resources.length}
    </>
  );
}

const HEALTH_RANK: Record<string, number> = { Degraded: 1, Missing: 1, Unknown: 3, Progressing: 4, Suspended: 5 };

function trouble({ error, status, health }: Resource, drifted: Drifted | undefined): number {
  if (error || status === 'failed') return 0;
  const rank = health ? HEALTH_RANK[health.status] : undefined;
  return Math.min(rank ?? 9, drifted && drifted.status !== 'in_sync' ? 2 : 9);
}

const keyOf = (each: Pick<Resource, 'connection_id' | 'api_version' | 'kind' | 'namespace' | 'name'>): string =>
  [each.connection_id, each.api_version, each.kind, each.namespace, each.name].join(' ');

function Resources({ resources, drift }: { resources: Resource[]; drift: DriftView | undefined }) {
  const search = useSignal('');
  const drifted = new Map(drift?.resources.map((each) => [keyOf(each), each]));
  const text = search.value.toLowerCase();
  const rows = resources
    .filter(({ kind, name, namespace }) => `${kind} ${namespace ?? ''} ${name}`.toLowerCase().includes(text))
    .map((resource) => ({ resource, drift: drifted.get(keyOf(resource)) }))
    .sort((a, b) => trouble(a.resource, a.drift) - trouble(b.resource, b.drift));
  if (resources.length === 0) return <Empty>No resources are known yet.</Empty>;
  return (
    <>
      {resources.length > 10 && (
        <input
          type="text"
          aria-label="Filter resources"
          placeholder="Kind, namespace or name"
          value={search}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
      )}
      <Paged rows={rows}>
        {(page) => (
          <Table
            caption="Resources, trouble first"
            rows={page}
            rowClass={(row) => (trouble(row.resource, row.drift) <= 1 ? 'bad' : '')}
            columns={[
              { title: 'Kind', cell: ({ resource }) => resource.kind },
              { title: 'Name', cell: ({ resource }) => <Name>{resource.name}</Name> },
              { title: 'Namespace', cell: ({ resource }) => <Name>{resource.namespace ?? '–'}</Name> },
              { title: 'Health', cell: ({ resource }) => <Health resource={resource} /> },
              { title: 'Drift', cell: ({ drift: found }) => <Drift found={found} checked={drift !== undefined} /> },
              { title: 'Status', cell: ({ resource }) => <Badge>{resource.status}</Badge> },
            ]}
          />
        )}
      </Paged>
    </>
  );
}

function Health({ resource: { health, error, message } }: { resource: Resource }) {
  return (
    <>
      {health ? <Badge>{health.status}</Badge> : !error && '–'}{' '}
      <Sentence>{error ? `${error.reason}: ${error.detail}` : (health?.message ?? message)}</Sentence>
    </>
  );
}

function Drift({ found, checked }: { found: Drifted | undefined; checked: boolean }) {
  if (!found) return <>{checked ? 'in sync' : '–'}</>;
  return (
    <>
      <Badge>{found.status}</Badge> {found.changes.length > 0 && `${found.changes.length} fields`}
    </>
  );
}

function DriftDetails({ drift }: { drift: DriftView | undefined }) {
  const changed = drift?.resources.filter(({ status }) => status !== 'in_sync') ?? [];
  if (!drift || (changed.length === 0 && drift.errors.length === 0)) return null;
  return (
    <section>
      <h2>Drift</h2>
      {drift.errors.map(({ code, detail }) => (
        <p class="state failure">
          {code}: <Name>{detail}</Name>
        </p>
      ))}
      <Paged rows={changed} size={20}>
        {(rows) =>
          rows.map((each) => (
            <div class="change" key={keyOf(each)}>
              <Badge>{each.status}</Badge> <strong>{each.kind}</strong> <Name>{each.name}</Name>{' '}
              <Name>{each.detail}</Name>
              {each.changes.map(({ pointer, desired, live, manager, at }) => (
                <div>
                  <code>{pointer}</code>{' '}
                  <span class="quiet">
                    by <Name>{manager ?? 'somebody'}</Name>, <Age at={at} />
                  </span>
                  <div class="diff">
                    <Value title="design" value={desired} />
                    <Value title="cluster" value={live} />
                  </div>
                </div>
              ))}
            </div>
          ))
        }
      </Paged>
    </section>
  );
}

function Actions({
  deployment,
  permissions,
}: {
  deployment: DeploymentView;
  permissions: ReturnType<typeof usePermissions>;
}) {
  const { id, status, design_version } = deployment;
  const mayBeCancelled = ACTIVE.has(status) || status === 'pending_approval';
  if (!mayBeCancelled && design_version < 2) return null;
  return (
    <>
      <h2>Actions</h2>
      {mayBeCancelled ? (
        <Action
          label="Cancel"
          operation="cancelDeployment"
          options={() => ({ path: { id } })}
          permission={permissions('deployment.cancel')}
        />
      ) : (
        <RollBack deployment={deployment} permission={permissions('deployment.deploy')} />
      )}
    </>
  );
}

function Drawn({ id, name, nodes }: { id: string; name: string; nodes: number }) {
  const isOpen = useSignal(false);
  const isLarge = nodes > MOST_NODES;
  const answer = useCall(isOpen.value && !isLarge ? 'renderDeploymentDiagram' : null, { path: { id } });
  return (
    <details open={isOpen} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>
        <h2 class="inline">Picture</h2>
      </summary>
      {isLarge && <Empty>{nodes} resources are too many for a picture: filter the table above.</Empty>}
      {isOpen.value && !isLarge && <Shown answer={answer}>{(svg) => <Picture svg={svg} title={name} />}</Shown>}
    </details>
  );
}

function Events({ id, orgID }: { id: string; orgID: string }) {
  return (
    <section>
      <h2>Events</h2>
      <List
        operation="listEvents"
        options={{ query: { orgID, acted_upon: id, order: 'created_at desc', pagesize: 20 } }}
      >
        {({ events }) =>
          events.length === 0 ? (
            <Empty>No events.</Empty>
          ) : (
            <Table
              caption="Events, last first"
              rows={events}
              columns={[
                { title: 'When', cell: ({ created_at }) => <Time at={created_at} /> },
                { title: 'Severity', wide: true, cell: ({ severity }) => <Badge>{severity}</Badge> },
                { title: 'What', cell: ({ description }) => <Name>{description}</Name> },
              ]}
            />
          )
        }
      </List>
    </section>
  );
}
