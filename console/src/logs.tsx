import type { DeploymentView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { Calls, Cause, Empty, Failure, Field, onSubmit, type Permission, useAction } from './parts.js';

const RUN_PODS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'CronJob', 'Pod']);

/** What containers have written, read when it is asked for. */
export function Logs({
  deployment: { id, resources },
  permission,
}: {
  deployment: DeploymentView;
  permission: Permission;
}) {
  const resource = useSignal('');
  const tail = useSignal('200');
  const text = useSignal<string | null>(null);
  const options = () => ({
    path: { id },
    query: { tail: Number(tail.value), ...(resource.value && { resource: resource.value }) },
  });
  const { busy, error, run } = useAction('getDeploymentLogs', options, (read) => (text.value = read as string));
  const sources = resources.filter(({ kind }) => RUN_PODS.has(kind));
  if (sources.length === 0) return null;
  return (
    <section>
      <h2>Logs</h2>
      {permission.allowed ? (
        <form onSubmit={onSubmit(run)}>
          <Field label="Of">
            {(field) => (
              <select id={field} value={resource} onChange={(event) => (resource.value = event.currentTarget.value)}>
                <option value="">all that run pods</option>
                {sources.slice(0, 500).map(({ kind, namespace, name }) => (
                  <option key={`${kind}/${namespace}/${name}`} value={`${kind}/${namespace}/${name}`}>
                    {kind} {namespace}/{name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Last lines">
            {(field) => (
              <input
                id={field}
                type="number"
                min="1"
                max="10000"
                required
                value={tail}
                onInput={(event) => (tail.value = event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="row">
            <button type="submit" aria-disabled={busy}>
              {busy ? 'Reading…' : 'Read logs'}
            </button>
            <Calls operation="getDeploymentLogs" options={options} />
          </div>
          {error && <Failure error={error} />}
        </form>
      ) : (
        <Cause action="Read logs" reason={permission.reason ?? 'not allowed'} />
      )}
      {text.value === '' && <Empty>Nothing was written.</Empty>}
      {text.value && (
        <pre class="log" tabIndex={0} aria-label="Logs" role="region">
          {text}
        </pre>
      )}
    </section>
  );
}
