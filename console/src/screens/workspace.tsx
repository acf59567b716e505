import type { DeploymentView, EnvironmentView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { refresh, useCall } from '../api.js';
import { openDeployment, RollBack, useEnvironments } from '../deploying.js';
import { Favourite } from '../favourite.js';
import {
  Action,
  Badge,
  Cause,
  Empty,
  Field,
  List,
  Name,
  onSubmit,
  type Permission,
  Screen,
  Shown,
  Table,
  useAction,
  Failure,
} from '../parts.js';
import { usePermissions } from '../permissions.js';
import { addressOf } from '../router.js';
import { chooseOrganization, chooseWorkspace } from '../state.js';

interface Row {
  id: string;
  name: string;
  deployed: Map<string, DeploymentView>;
}

/** Which version of which design is where. */
export default function Workspace({ id }: { id: string }) {
  const answer = useCall('getWorkspace', { path: { id } });
  const workspace = answer.data;
  const environments = useEnvironments(id);
  const permissions = usePermissions(id);
  const chosen = useSignal<DeploymentView | null>(null);
  if (workspace) {
    chooseOrganization(workspace.organization_id);
    chooseWorkspace(id);
  }
  const columns = [...(environments.data?.environments ?? [])].sort((a, b) => TIERS[a.tier] - TIERS[b.tier]);
  return (
    <Screen title={workspace?.name ?? 'Workspace'} actions={workspace && <Favourite type="workspace" id={id} />}>
      <Shown answer={answer}>
        {({ description, status, organization_id }) => (
          <>
            {description && (
              <p>
                <Name>{description}</Name>
              </p>
            )}
            {status === 'archived' && <p class="banner">This workspace is archived: it can only be read.</p>}
            <p>
              <a href={addressOf(`/workspaces/${id}/import`)}>Import a design</a>
            </p>
            <h2>Which version is where</h2>
            <List
              operation="listDeployments"
              options={{
                query: {
                  workspace_id: id,
                  orgID: organization_id,
                  filter: '{"deployed":true}',
                  order: 'name',
                  pagesize: 50,
                },
              }}
            >
              {({ deployments }) =>
                deployments.length === 0 ? (
                  <Empty>Nothing is deployed. Import a design, then plan and deploy it.</Empty>
                ) : (
                  <Table
                    caption="Designs and environments"
                    rows={toRows(deployments)}
                    columns={[
                      {
                        title: 'Design',
                        cell: (row) => (
                          <a href={addressOf(`/designs/${row.id}`)}>
                            <Name>{row.name}</Name>
                          </a>
                        ),
                      },
                      ...columns.map((environment) => ({
                        title: environment.name,
                        cell: (row: Row) => (
                          <Cell deployment={row.deployed.get(environment.id)} choose={(one) => (chosen.value = one)} />
                        ),
                      })),
                    ]}
                  />
                )
              }
            </List>
            {chosen.value && (
              <Chosen
                key={chosen.value.id}
                deployment={chosen.value}
                environments={columns}
                permissions={permissions}
              />
            )}
            <Environments id={id} orgID={organization_id} environments={columns} permissions={permissions} />
          </>
        )}
      </Shown>
    </Screen>
  );
}

const TIERS = { development: 0, staging: 1, production: 2 };

function toRows(deployments: readonly DeploymentView[]): Row[] {
  const rows = new Map<string, Row>();
  for (const deployment of deployments) {
    const { design_id, name, environment_id } = deployment;
    const row = rows.get(design_id) ?? { id: design_id, name, deployed: new Map() };
    rows.set(design_id, row);
    row.deployed.set(environment_id, deployment);
  }
  return [...rows.values()];
}

function Cell({
  deployment,
  choose,
}: {
  deployment: DeploymentView | undefined;
  choose: (one: DeploymentView) => void;
}) {
  if (!deployment) return <>–</>;
  const { id, design_version, status, health } = deployment;
  return (
    <>
      <a href={addressOf(`/deployments/${id}`)}>version {design_version}</a> <Badge>{health?.status ?? status}</Badge>{' '}
      <button
        type="button"
        class="small"
        aria-label={`Actions for version ${design_version}`}
        onClick={() => choose(deployment)}
      >
        Actions
      </button>
    </>
  );
}

function Chosen({
  deployment,
  environments,
  permissions,
}: {
  deployment: DeploymentView;
  environments: readonly EnvironmentView[];
  permissions: ReturnType<typeof usePermissions>;
}) {
  const { id, name, design_id, design_version, environment_id } = deployment;
  const others = environments.filter((each) => each.id !== environment_id);
  const target = useSignal(others[0]?.id ?? '');
  const query = { async: 'true' as const };
  const permission = permissions('deployment.deploy');
  return (
    <section aria-label="Actions" class="change">
      <h3>
        <Name>{name}</Name>, version {design_version}
      </h3>
      {others.length > 0 && (
        <>
          <EnvironmentField
            label="Promote to"
            among={others}
            value={target.value}
            choose={(id) => (target.value = id)}
          />
          <Action
            label="Promote"
            operation="promoteDeployment"
            options={() => ({ path: { id }, query, body: { environment_id: target.value, request_approval: true } })}
            permission={permission}
            onDone={openDeployment}
          />
        </>
      )}
      <RollBack deployment={deployment} permission={permission} />
      <div>
        <Action
          label="Deploy again"
          operation="deployDesign"
          options={() => ({
            query,
            body: { id: design_id, environment_id, version: design_version, request_approval: true },
          })}
          permission={permission}
          onDone={openDeployment}
        />
      </div>
    </section>
  );
}

function Environments({
  id,
  orgID,
  environments,
  permissions,
}: {
  id: string;
  orgID: string;
  environments: readonly EnvironmentView[];
  permissions: ReturnType<typeof usePermissions>;
}) {
  return (
    <section>
      <h2>Environments</h2>
      {environments.length === 0 ? (
        <Empty>No environment is assigned to this workspace yet.</Empty>
      ) : (
        <ul class="plain">
          {environments.map((each) => (
            <li key={each.id}>
              <a href={addressOf(`/environments/${each.id}`)}>
                <Name>{each.name}</Name>
              </a>{' '}
              <Badge>{each.tier}</Badge>
            </li>
          ))}
        </ul>
      )}
      <AssignEnvironment
        id={id}
        orgID={orgID}
        assigned={environments}
        permission={permissions('workspace.assignEnvironment')}
      />
    </section>
  );
}

function AssignEnvironment({
  id,
  orgID,
  assigned,
  permission,
}: {
  id: string;
  orgID: string;
  assigned: readonly EnvironmentView[];
  permission: Permission;
}) {
  const all = useCall('listEnvironments', { query: { orgID, pagesize: 200, order: 'name' } });
  const others = (all.data?.environments ?? []).filter((each) => !assigned.some((one) => one.id === each.id));
  const chosen = useSignal('');
  const envID = chosen.value || (others[0]?.id ?? '');
  const assign = useAction(
    'assignWorkspaceEnvironment',
    () => ({ path: { id, envID } }),
    () => refresh((operation) => operation === 'listWorkspaceEnvironments'),
  );
  if (!permission.allowed) return <Cause action="Assign an environment" reason={permission.reason ?? 'not allowed'} />;
  if (others.length === 0) return null;
  return (
    <form onSubmit={onSubmit(assign.run)}>
      <EnvironmentField
        label="Another environment of the organization"
        among={others}
        value={envID}
        choose={(id) => (chosen.value = id)}
      />
      <button type="submit" aria-disabled={assign.busy}>
        Assign
      </button>
      {assign.error && <Failure error={assign.error} />}
    </form>
  );
}

/** A choice of one of some environments. */
function EnvironmentField({
  label,
  among,
  value,
  choose,
}: {
  label: string;
  among: readonly { id: string; name: string; tier: string }[];
  value: string;
  choose: (id: string) => void;
}) {
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} value={value} onChange={(event) => choose(event.currentTarget.value)}>
          {among.map((each) => (
            <option key={each.id} value={each.id} dir="auto">
              {each.name} ({each.tier})
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
