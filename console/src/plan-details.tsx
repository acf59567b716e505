import type { PlanView } from '@armature/client';
import { Badge, Name, Paged } from './parts.js';

type Planned = PlanView['resources'][number];

/** What removes comes first, then what changes. */
const ORDER: Record<Planned['action'], number> = { delete: 0, prune: 0, update: 2, create: 3, unchanged: 4 };
const rank = ({ action, replaces, error }: Planned): number => (error ? -1 : replaces ? 1 : ORDER[action]);

/** A plan as one decides on it: a summary, then each change with its fields side by side. */
export function PlanDetails({ plan }: { plan: PlanView }) {
  const changes = plan.resources.filter(({ action, error }) => action !== 'unchanged' || error);
  const sorted = [...changes].sort((a, b) => rank(a) - rank(b));
  const unchanged = plan.resources.length - changes.length;
  return (
    <>
      <ul class="row plain" aria-label="Summary">
        {Object.entries(plan.summary)
          .filter(([, count]) => count > 0)
          .map(([action, count]) => (
            <li key={action}>
              <Badge>{action}</Badge> {count}
            </li>
          ))}
      </ul>
      {plan.warnings.map((warning) => (
        <p class="banner">
          <Name>{warning}</Name>
        </p>
      ))}
      <h3>Policies and quotas</h3>
      {plan.policy_violations.length === 0 && <p>No policy is violated.</p>}
      <ul>
        {plan.policy_violations.map(({ policy, mode, kind, name, message }) => (
          <li>
            <Badge>{mode === 'enforce' ? 'failed' : 'warning'}</Badge> <Name>{policy}</Name>: {kind} <Name>{name}</Name>
            : <Name>{message}</Name>
          </li>
        ))}
        {!plan.quota.allowed && (
          <li>
            <Badge>failed</Badge> {plan.quota.key}: {plan.quota.use} of {plan.quota.limit}
          </li>
        )}
      </ul>
      {plan.hooks.length > 0 && (
        <>
          <h3>Hooks</h3>
          <ul>
            {plan.hooks.map(({ phase, kind, namespace, name, error }) => (
              <li>
                {phase}: {kind} <Name>{namespace ? `${namespace}/${name}` : name}</Name>
                {error && <Problem text={`${error.reason}: ${error.detail}`} />}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>Changes</h3>
      {changes.length === 0 && <p class="state">Nothing changes.</p>}
      <Paged rows={sorted} size={50}>
        {(rows) => rows.map((resource) => <Change key={keyOf(resource)} resource={resource} />)}
      </Paged>
      {unchanged > 0 && <p class="quiet">{unchanged} unchanged</p>}
      {plan.kept.length > 0 && (
        <>
          <h3>Stays on the cluster</h3>
          <ul>
            {plan.kept.map(({ resource, reason }) => (
              <li>
                {resource.kind}{' '}
                <Name>{resource.namespace ? `${resource.namespace}/${resource.name}` : resource.name}</Name>: {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const keyOf = ({ connection_id, api_version, kind, namespace, name }: Planned): string =>
  [connection_id, api_version, kind, namespace, name].join(' ');

function Change({ resource }: { resource: Planned }) {
  const { action, kind, namespace, name, diff, replaces, adopts, verified, warnings, error, kept } = resource;
  const removes = action === 'delete' || action === 'prune';
  return (
    <div class={removes || error ? 'change bad' : 'change'}>
      <div class="row">
        <Badge>{action}</Badge>
        <strong>{kind}</strong>
        <Name>{namespace ? `${namespace}/${name}` : name}</Name>
        {replaces && <span>replaced: deleted and made anew</span>}
        {adopts && <span>taken over</span>}
        {!verified && <span class="quiet">not verified by the cluster yet</span>}
        {kept && <span class="quiet">{kept}</span>}
      </div>
      {error && <Problem text={`${error.reason}: ${error.detail}`} />}
      {warnings.map((warning) => (
        <p class="quiet">
          <Name>{warning}</Name>
        </p>
      ))}
      {diff.length > 0 && action === 'update' && (
        <details open={diff.length <= 5}>
          <summary>{diff.length === 1 ? '1 field' : `${diff.length} fields`}</summary>
          <Paged rows={diff} size={50}>
            {(rows) =>
              rows.map(({ path, from, to }) => (
                <div>
                  <code>{path}</code>
                  <div class="diff">
                    <Value title="now" value={from} />
                    <Value title="then" value={to} />
                  </div>
                </div>
              ))
            }
          </Paged>
        </details>
      )}
    </div>
  );
}

export const Value = ({ title, value }: { title: string; value: unknown }) => (
  <div>
    <span class="quiet">{title}</span>
    <pre dir="auto">
      {value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  </div>
);

const Problem = ({ text }: { text: string }) => (
  <p class="state failure">
    <Name>{text}</Name>
  </p>
);
