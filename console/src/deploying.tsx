import type { DeploymentView, PlanView } from '@armature/client';
import { ArmatureError } from '@armature/client';
import { useSignal } from '@preact/signals';
import { useCall } from './api.js';
import { Action, Calls, Cause, Failure, Field, onSubmit, type Permission, useAction } from './parts.js';
import { PlanDetails } from './plan-details.js';
import { navigate } from './router.js';

/** The environments of a workspace. */
export const useEnvironments = (workspaceId: string | undefined) =>
  useCall(workspaceId ? 'listWorkspaceEnvironments' : null, {
    path: { id: workspaceId ?? '' },
    query: { pagesize: 500 },
  });

/** Plans one design for one environment, shows it, and deploys exactly what was shown. */
export function Deploying({
  designId,
  environments,
  permissions,
}: {
  designId: string;
  environments: readonly { id: string; name: string; tier: string }[];
  permissions: (operation: string) => Permission;
}) {
  const environment = useSignal(environments[0]?.id ?? '');
  const namespace = useSignal('');
  const plan = useSignal<PlanView | null>(null);
  const target = () => ({
    id: designId,
    environment_id: environment.value,
    ...(namespace.value && { namespace: namespace.value, create_namespace: true }),
  });
  const planning = useAction(
    'planDeployment',
    () => ({ body: target() }),
    (made) => (plan.value = made),
  );
  const planned = permissions('deployment.plan');
  if (!planned.allowed) return <Cause action="Plan and deploy" reason={planned.reason ?? 'not allowed'} />;
  if (environments.length === 0)
    return (
      <Cause action="Plan and deploy" reason="the workspace has no environment; add one on the page of the workspace" />
    );
  return (
    <>
      <form onSubmit={onSubmit(planning.run)}>
        <Field label="Environment">
          {(id) => (
            <select
              id={id}
              value={environment}
              onChange={(event) => {
                environment.value = event.currentTarget.value;
                plan.value = null;
              }}
            >
              {environments.map((each) => (
                <option key={each.id} value={each.id} dir="auto">
                  {each.name} ({each.tier})
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Namespace"
          hint="Empty: the one it is deployed in, or that of the cluster. It is created where it is absent."
        >
          {(id) => (
            <input
              id={id}
              value={namespace}
              maxLength={63}
              autocomplete="off"
              onInput={(event) => {
                namespace.value = event.currentTarget.value;
                plan.value = null;
              }}
            />
          )}
        </Field>
        <div class="row">
          <button type="submit" aria-disabled={planning.busy}>
            {planning.busy ? 'Planning…' : 'Plan'}
          </button>
          <Calls operation="planDeployment" options={() => ({ body: target() })} />
        </div>
      </form>
      {planning.error && <Failure error={planning.error} />}
      {plan.value && (
        <Deploy
          key={plan.value.plan_id}
          plan={plan.value}
          target={target()}
          permission={permissions('deployment.deploy')}
        />
      )}
    </>
  );
}

function Deploy({
  plan,
  target,
  permission,
}: {
  plan: PlanView;
  target: { id: string; environment_id: string };
  permission: Permission;
}) {
  const reason = useSignal('');
  const body = () => ({ ...target, plan_id: plan.plan_id });
  const query = { async: 'true' as const };
  const deploying = useAction('deployDesign', () => ({ body: body(), query }), openDeployment);
  const request = () => ({
    body: { ...body(), request_approval: true, ...(reason.value && { reason: reason.value }) },
    query,
  });
  const requesting = useAction('deployDesign', request, openDeployment);
  const needsApproval = deploying.error instanceof ArmatureError && deploying.error.code === 'APPROVAL_REQUIRED';
  return (
    <section aria-label="Plan">
      <h2>Plan</h2>
      <PlanDetails plan={plan} />
      {!permission.allowed && <Cause action="Deploy" reason={permission.reason ?? 'not allowed'} />}
      {!plan.deployable && <Cause action="Deploy" reason="this plan cannot be deployed; its errors say why" />}
      {plan.deployable && permission.allowed && !needsApproval && (
        <div class="row">
          <button type="button" class="primary" aria-disabled={deploying.busy} onClick={deploying.run}>
            {deploying.busy ? 'Deploying…' : 'Deploy'}
          </button>
          <Calls operation="deployDesign" options={() => ({ body: body() })} />
        </div>
      )}
      {deploying.error && !needsApproval && <Failure error={deploying.error} />}
      {needsApproval && (
        <form onSubmit={onSubmit(requesting.run)}>
          <Cause action="Deploy" reason={deploying.error?.message ?? ''} />
          <Field label="Reason">
            {(id) => (
              <textarea
                id={id}
                value={reason}
                dir="auto"
                onInput={(event) => (reason.value = event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="row">
            <button type="submit" class="primary" aria-disabled={requesting.busy}>
              Request approval
            </button>
            <Calls operation="deployDesign" options={request} />
          </div>
          {requesting.error && <Failure error={requesting.error} />}
        </form>
      )}
    </section>
  );
}

/** Shows a deployment that was requested; one that waits for approval with its plan. */
export function openDeployment(requested: unknown): void {
  const { id, status } = requested as DeploymentView;
  navigate(`/deployments/${id}${status === 'pending_approval' ? '/plan' : ''}`);
}

/** Deploys an earlier version again, with a request where that needs approval. */
export function RollBack({
  deployment: { id, design_version },
  permission,
}: {
  deployment: DeploymentView;
  permission: Permission;
}) {
  const version = useSignal(String(Math.max(1, design_version - 1)));
  if (design_version < 2) return null;
  return (
    <>
      <Field label="Version to roll back to">
        {(field) => (
          <input
            id={field}
            type="number"
            min="1"
            max={design_version}
            value={version}
            onInput={(event) => (version.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <Action
        label="Roll back"
        operation="rollBackDeployment"
        options={() => ({
          path: { id },
          query: { async: 'true' },
          body: { version: Number(version.value), request_approval: true },
        })}
        permission={permission}
        onDone={openDeployment}
      />
    </>
  );
}
