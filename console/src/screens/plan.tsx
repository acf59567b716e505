import { ArmatureError, type DeploymentView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { useCall } from '../api.js';
import {
  Badge,
  Calls,
  Cause,
  CopyButton,
  Empty,
  Failure,
  Field,
  Name,
  onSubmit,
  type Permission,
  Screen,
  Sentence,
  Shown,
  Table,
  Time,
  useAction,
} from '../parts.js';
import { usePermissions } from '../permissions.js';
import { PlanDetails } from '../plan-details.js';
import { addressOf, navigate } from '../router.js';
import { chooseOrganization, chooseWorkspace, isAdminOf, profile } from '../state.js';
import { toCurl } from '../commands.js';

export default function PlanAndApprove({ id }: { id: string }) {
  const answer = useCall('getDeployment', { path: { id } });
  const deployment = answer.data;
  const plan = useCall('getDeploymentPlan', { path: { id } });
  const environment = useCall(deployment ? 'getEnvironment' : null, { path: { id: deployment?.environment_id ?? '' } });
  const permissions = usePermissions(deployment?.workspace_id);
  if (deployment) {
    chooseOrganization(deployment.organization_id);
    chooseWorkspace(deployment.workspace_id);
  }
  return (
    <Screen title={deployment ? `Plan: ${deployment.name}` : 'Plan'}>
      <Shown answer={answer}>
        {(record) => (
          <>
            <dl class="facts">
              <dt>Status</dt>
              <dd aria-live="polite">
                <Badge>{record.status}</Badge>
              </dd>
              <dt>Action</dt>
              <dd>
                {record.action} of{' '}
                <a href={addressOf(`/designs/${record.design_id}`)}>version {record.design_version}</a>,{' '}
                <a href={addressOf(`/deployments/${id}`)}>deployment</a>
              </dd>
              <dt>Environment</dt>
              <dd>
                <Name>{environment.data?.name ?? record.environment_id}</Name>{' '}
                {environment.data && <Badge>{environment.data.tier}</Badge>}
              </dd>
              <dt>Requested by</dt>
              <dd>
                <Requester deployment={record} />
              </dd>
              <dt>Why</dt>
              <dd>
                <Name>{record.reason ?? 'no reason given'}</Name>
              </dd>
              <dt>Approvals</dt>
              <dd>
                {record.approvals.filter(({ decision }) => decision === 'approved').length} given
                {environment.data && environment.data.required_approvals > 0 && (
                  <>
                    ; the environment asks for {environment.data.required_approvals}, of which the request of an admin
                    is one
                  </>
                )}
              </dd>
              {record.status === 'pending_approval' && (
                <>
                  <dt>Who may decide</dt>
                  <dd>
                    <Deciders deployment={record} />
                  </dd>
                </>
              )}
              <dt>Expires</dt>
              <dd>
                <Time at={record.approval_expires_at} />
              </dd>
            </dl>
            {record.approvals.length > 0 && (
              <Table
                caption="Decisions"
                rows={record.approvals}
                columns={[
                  { title: 'Decision', cell: ({ decision }) => <Badge>{decision}</Badge> },
                  { title: 'By', cell: ({ user_id }) => <Person id={user_id} workspaceId={record.workspace_id} /> },
                  { title: 'With the words', cell: ({ reason }) => <Name>{reason}</Name> },
                  { title: 'When', cell: ({ at }) => <Time at={at} /> },
                ]}
              />
            )}
            <Frozen environmentId={record.environment_id} orgID={record.organization_id} />
            <Decision deployment={record} permission={permissions('deployment.approve')} />
            <h2>What it changes</h2>
            {plan.error instanceof ArmatureError && plan.error.status === 404 ? (
              <Empty>
                No plan is kept with this request
                {record.plan_error ? `: ${record.plan_error.detail}` : '.'}
              </Empty>
            ) : (
              <Shown answer={plan}>{(data) => <PlanDetails plan={data} />}</Shown>
            )}
          </>
        )}
      </Shown>
    </Screen>
  );
}

/** What is frozen now; admins of the organization read until when of each freeze, others what needs attention. */
function Frozen({ environmentId, orgID }: { environmentId: string; orgID: string }) {
  const isAdmin = isAdminOf(orgID);
  const freezes = useCall(isAdmin ? 'listFreezes' : null, { path: { id: environmentId }, query: { pagesize: 100 } });
  const attention = useCall(isAdmin ? null : 'listAttention', { query: { orgID, pagesize: 200, cursor: '' } });
  const messages = [
    ...(freezes.data?.freezes ?? [])
      .filter(({ active }) => active)
      .map(({ name, message, next_ends_at, ends_at }) => `frozen until ${next_ends_at ?? ends_at}: ${message || name}`),
    ...(attention.data?.items ?? [])
      .filter(({ kind, subject }) => kind === 'frozen' && subject.id === environmentId)
      .map(({ reason }) => reason),
  ];
  return (
    <>
      {messages.map((message) => (
        <p class="banner" key={message}>
          The environment is <Sentence>{message}</Sentence>
        </p>
      ))}
    </>
  );
}

const Requester = ({ deployment: { requested_by, workspace_id } }: { deployment: DeploymentView }) =>
  requested_by ? <Person id={requested_by} workspaceId={workspace_id} /> : <>the system</>;

function Deciders({ deployment: { workspace_id, requested_by, approvals } }: { deployment: DeploymentView }) {
  const { data } = useCall('listWorkspaceMembers', { path: { id: workspace_id }, query: { pagesize: 500 } });
  const decided = new Set([requested_by, ...approvals.map(({ user_id }) => user_id)]);
  const others = data?.members.filter(({ role, user_id }) => role === 'admin' && !decided.has(user_id)) ?? [];
  return <Name>{others.map(({ email }) => email).join(', ') || 'admins of the organization'}</Name>;
}

function Person({ id, workspaceId }: { id: string; workspaceId: string }) {
  const { data } = useCall('listWorkspaceMembers', { path: { id: workspaceId }, query: { pagesize: 500 } });
  const email = data?.members.find((each) => each.user_id === id)?.email;
  if (id === profile.value?.id) return <Name>you ({profile.value.email})</Name>;
  return email ? <Name>{email}</Name> : <code>{id}</code>;
}

function Decision({ deployment, permission }: { deployment: DeploymentView; permission: Permission }) {
  const { id, status, requested_by, approvals } = deployment;
  const reason = useSignal('');
  const path = { id };
  const approve = () => ({
    path,
    query: { async: 'true' as const },
    body: reason.value ? { reason: reason.value } : {},
  });
  const reject = () => ({ path, body: { reason: reason.value } });
  const approving = useAction('approveDeployment', approve, () => navigate(`/deployments/${id}`));
  const rejecting = useAction('rejectDeployment', reject, () => navigate(`/deployments/${id}`));
  if (status !== 'pending_approval')
    return <Cause action="Approve or reject" reason={`it is ${status.replaceAll('_', ' ')}`} />;
  const own = profile.value?.id;
  if (!permission.allowed) return <Cause action="Approve or reject" reason={permission.reason ?? 'not allowed'} />;
  if (requested_by === own)
    return <Cause action="Approve or reject" reason="you requested it yourself; somebody else has to decide" />;
  if (approvals.some(({ user_id }) => user_id === own))
    return <Cause action="Approve or reject" reason="you have decided already" />;
  return (
    <form class="decision" onSubmit={onSubmit(approving.run)}>
      <Field label="Reason" hint="Needed to reject.">
        {(field) => (
          <textarea
            id={field}
            dir="auto"
            maxLength={2000}
            value={reason}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button type="submit" class="primary" aria-disabled={approving.busy}>
          Approve
        </button>
        <button type="button" class="danger" aria-disabled={rejecting.busy} onClick={rejecting.run}>
          Reject
        </button>
        <Calls
          operation="approveDeployment"
          options={() => ({ path, body: reason.value ? { reason: reason.value } : {} })}
        />
        <CopyButton label="Copy the refusal" text={() => toCurl('rejectDeployment', reject())} />
      </div>
      {approving.error && <Failure error={approving.error} />}
      {rejecting.error && <Failure error={rejecting.error} />}
    </form>
  );
}
