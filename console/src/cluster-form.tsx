import type { RegistrationView } from '@armature/client';
import { useSignal } from '@preact/signals';
import { refresh } from './api.js';
import { Badge, Calls, Failure, Field, Name, onSubmit, useAction } from './parts.js';

/** Registers the clusters of a kubeconfig. */
export function ClusterForm({ orgID, onDone }: { orgID: string; onDone?: (result: RegistrationView) => void }) {
  const text = useSignal('');
  const options = () => ({ body: { kubeconfig: text.value, organization_id: orgID } });
  const result = useSignal<RegistrationView | null>(null);
  const { busy, error, run } = useAction('registerKubeconfig', options, (registration) => {
    result.value = registration;
    // It is a secret: it does not stay in the page.
    text.value = '';
    refresh((operation) => operation === 'listConnections');
    onDone?.(registration);
  });
  return (
    <form onSubmit={onSubmit(run)}>
      <Field label="Kubeconfig file">
        {(id) => (
          <input
            id={id}
            type="file"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              void file?.text().then((read) => (text.value = read));
            }}
          />
        )}
      </Field>
      <Field label="Or its text" hint="kubectl config view --raw --flatten --minify">
        {(id) => (
          <textarea
            id={id}
            spellcheck={false}
            value={text}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button type="submit" aria-disabled={busy || text.value === ''}>
          {busy ? 'Registering…' : 'Register cluster'}
        </button>
        <Calls
          operation="registerKubeconfig"
          options={() => ({ body: { k8sfile: new File([], 'cluster.kubeconfig'), organization_id: orgID } })}
        />
      </div>
      {error && <Failure error={error} />}
      {result.value && (
        <ul aria-label="Registered">
          {[...result.value.connected, ...result.value.registered, ...result.value.failed].map((each) => (
            <li key={each.context}>
              <Name>{each.context}</Name>{' '}
              <Badge>
                {each.error ? 'failed' : result.value?.connected.includes(each) ? 'connected' : 'registered'}
              </Badge>{' '}
              {each.error && <Name>{each.error.detail}</Name>}
            </li>
          ))}
        </ul>
      )}
    </form>
  );
}
