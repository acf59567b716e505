import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Field, onSubmit, Screen } from './parts.js';
import { addressOf, place } from './router.js';
import { signIn } from './session.js';

/** The only screen for whoever has no session; afterwards the address shows itself. */
export const SignInScreen = () => (
  <Screen title="Sign in">
    <SignInForm />
    {issuer && (
      <p>
        <a href={addressOf(`/api/auth/console/oidc/start?return=${encodeURIComponent(whereToReturn())}`)}>
          Sign in with {issuer}
        </a>
      </p>
    )}
  </Screen>
);

/** The host of the OpenID Connect issuer, if people sign in there. */
const issuer = document.documentElement.dataset['issuer'];

const whereToReturn = (): string => {
  const { path, query } = place.value;
  return query.size > 0 ? `${path}?${query}` : path;
};

/** Over a screen whose session has ended: what was typed below stays. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onCancel={(event) => event.preventDefault()}>
      <h2 id="sign-in-again">Your session has ended</h2>
      <p>Sign in again to go on where you are. Nothing that you typed is lost.</p>
      <SignInForm />
    </dialog>
  );
}

function SignInForm() {
  const email = useSignal('');
  const password = useSignal('');
  const refusal = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const run = async (): Promise<void> => {
    if (busy.peek()) return;
    busy.value = true;
    refusal.value = await signIn(email.peek(), password.peek());
    busy.value = false;
  };
  return (
    <form class="narrow" onSubmit={onSubmit(() => void run())}>
      <Field label="Email">
        {(id) => (
          <input
            id={id}
            type="email"
            name="email"
            autocomplete="username"
            required
            value={email}
            onInput={(event) => (email.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <Field label="Password">
        {(id) => (
          <input
            id={id}
            type="password"
            name="password"
            autocomplete="current-password"
            required
            value={password}
            onInput={(event) => (password.value = event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" class="primary" aria-disabled={busy}>
        Sign in
      </button>
      {refusal.value && (
        <p class="state failure" role="alert">
          {refusal}
        </p>
      )}
    </form>
  );
}
