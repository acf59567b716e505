import { useSignal } from '@preact/signals';
import { refresh } from '../api.js';
import {
  Action,
  Calls,
  CopyButton,
  Empty,
  Failure,
  Field,
  List,
  Name,
  onSubmit,
  Screen,
  Table,
  Time,
  useAction,
} from '../parts.js';
import { addressOf, root } from '../router.js';
import { profile } from '../state.js';

const SCOPES = ['read', 'write', 'deploy', 'admin'] as const;

export default function Account() {
  const me = profile.value;
  const server = root.href.replace(/\/$/, '');
  const install = `curl -fsSO ${server}/download/armature && chmod +x armature && ./armature login ${server} --email ${me?.email ?? ''}`;
  return (
    <Screen title="Account">
      <dl class="facts">
        <dt>Signed in as</dt>
        <dd>
          <Name>{me?.email}</Name>
        </dd>
        <dt>Organizations</dt>
        <dd>
          {me?.organizations.map(({ id, name, role }) => (
            <div key={id}>
              <Name>{name}</Name>: {role}
            </div>
          ))}
        </dd>
      </dl>
      <h2>Command line</h2>
      <p>One file for Node.js, of this very version:</p>
      <pre>{install}</pre>
      <p>
        <CopyButton label="Copy the line" text={() => install} /> <a href={addressOf('/download/armature')}>Download</a>
      </p>
      <h2>Tokens</h2>
      <List operation="listTokens" options={{ query: {} }}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty>No tokens.</Empty>
          ) : (
            <Table
              caption="Personal access tokens"
              rows={tokens}
              columns={[
                { title: 'Name', cell: ({ name }) => <Name>{name}</Name> },
                { title: 'Scopes', cell: ({ scopes }) => scopes.join(', ') },
                { title: 'Ends', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
                { title: 'Last used', wide: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
                {
                  title: 'Revoke',
                  cell: ({ id }) => (
                    <Action
                      label="Revoke"
                      operation="revokeToken"
                      options={() => ({ path: { id } })}
                      onDone={() => refresh((each) => each === 'listTokens')}
                    />
                  ),
                },
              ]}
            />
          )
        }
      </List>
      <NewToken />
    </Screen>
  );
}

function NewToken() {
  const name = useSignal('');
  const days = useSignal('30');
  const scopes = useSignal<readonly (typeof SCOPES)[number][]>(['read']);
  const made = useSignal('');
  const options = () => ({
    body: {
      name: name.value,
      scopes: [...scopes.value],
      expires_at: new Date(Date.now() + Number(days.value) * 86_400_000).toISOString(),
    },
  });
  const { busy, error, run } = useAction('createToken', options, (created) => {
    made.value = created.token;
    name.value = '';
    refresh((each) => each === 'listTokens');
  });
  return (
    <form aria-labelledby="new-token" onSubmit={onSubmit(run)}>
      <h3 id="new-token">New token</h3>
      <Field label="Name of the token">
        {(id) => (
          <input
            id={id}
            required
            maxLength={255}
            dir="auto"
            value={name}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset>
        <legend>Scopes</legend>
        {SCOPES.map((scope) => (
          <label class="check" key={scope}>
            <input
              type="checkbox"
              checked={scopes.value.includes(scope)}
              onChange={(event) => {
                const rest = scopes.value.filter((each) => each !== scope);
                scopes.value = event.currentTarget.checked ? [...rest, scope] : rest;
              }}
            />
            {scope}
          </label>
        ))}
      </fieldset>
      <Field label="Ends after days">
        {(id) => (
          <input
            id={id}
            type="number"
            min="1"
            max="366"
            required
            value={days}
            onInput={(event) => (days.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="row">
        <button type="submit" aria-disabled={busy}>
          Make token
        </button>
        <Calls operation="createToken" options={options} />
      </div>
      {error && <Failure error={error} />}
      {made.value && (
        <div class="state" role="status">
          <p>It is shown only now:</p>
          <pre>{made}</pre>
          <CopyButton label="Copy the token" text={() => made.value} />
        </div>
      )}
    </form>
  );
}
