import { computed, effect, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { call, type Result, useCall, waitingUntil } from './api.js';
import { hasNewerPage, lookForNewerPage } from './newer-page.js';
import { Failure, Loading, Name, Offline, Screen } from './parts.js';
import { addressOf, navigate, place } from './router.js';
import { hasScreen, RecordLink, type ScreenComponent, SCREENS } from './screens.js';
import { session, signOut } from './session.js';
import { SignInAgain, SignInScreen } from './sign-in.js';
import { chooseOrganization, chooseWorkspace, loadProfile, organization, profile, workspaceId } from './state.js';

const loaded = new Map<RegExp, ScreenComponent>();
const loads = signal(0);
const fault = signal<Error | null>(null);

/** The screen of the address; undefined while its file is loaded, null where there is none. */
const current = computed(() => {
  for (const [pattern] of SCREENS) {
    const match = pattern.exec(place.value.path);
    if (match)
      return loads.value >= 0 ? { screen: loaded.get(pattern), id: decodeURIComponent(match[1] ?? '') } : undefined;
  }
  return null;
});

effect(() => {
  if (session.value !== 'open') return;
  for (const [pattern, load] of SCREENS) {
    if (!pattern.test(place.value.path) || loaded.has(pattern)) continue;
    load().then(
      (module) => {
        loaded.set(pattern, module.default);
        fault.value = null;
        loads.value += 1;
      },
      (error: unknown) => {
        // The server is away, or a newer one has replaced its files.
        fault.value = error as Error;
        void lookForNewerPage();
        addEventListener('online', () => location.reload(), { once: true });
      },
    );
  }
});

const profileFault = signal<Error | null>(null);
effect(() => {
  if (session.value === 'open') loadProfile().catch((error: unknown) => (profileFault.value = error as Error));
});

export function App() {
  const state = session.value;
  if (state === 'starting') return <Loading />;
  if (state === 'none')
    return (
      <>
        <header>
          <a class="brand" href={addressOf('/')}>
            Armature
          </a>
        </header>
        <SignInScreen />
      </>
    );
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <Offline />
      <Waiting />
      {hasNewerPage.value && (
        <p class="banner" role="status">
          The server has a newer version of this console.{' '}
          <button type="button" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      <Current />
      <Footer />
      <Help />
      {state === 'ended' && <SignInAgain />}
    </>
  );
}

function Current() {
  const found = current.value;
  const failure = profileFault.value ?? fault.value;
  if (found === null)
    return (
      <Screen key={place.value.path} title="Not found">
        <p class="state">This console has no such page.</p>
      </Screen>
    );
  if (failure)
    return (
      <Screen title="This page could not be opened">
        <Failure error={failure} />
        <button type="button" onClick={() => location.reload()}>
          Try again
        </button>
      </Screen>
    );
  if (!found?.screen || !profile.value)
    return (
      <main id="main">
        <h1 class="quiet">Loading…</h1>
      </main>
    );
  const Component = found.screen;
  return <Component key={place.value.path} id={found.id} />;
}

function Header() {
  const { organizations = [] } = profile.value ?? {};
  const id = organization.value?.id;
  const workspaces = useCall(id ? 'listWorkspaces' : null, {
    query: { orgID: id ?? '', pagesize: 200, order: 'name asc' },
  });
  const notifications = useCall(id ? 'listNotifications' : null, { query: { unread: 'true', pagesize: 1 } });
  const unread = (notifications.data as { unread_count?: number } | undefined)?.unread_count ?? 0;
  const list = workspaces.data?.workspaces ?? [];
  const workspace = list.find((each) => each.id === workspaceId.value) ?? list[0];
  useEffect(() => {
    if (workspace) chooseWorkspace(workspace.id);
  }, [workspace?.id]);
  return (
    <header>
      <a class="brand" href={addressOf('/')}>
        Armature
      </a>
      <select
        aria-label="Organization"
        value={id ?? ''}
        onChange={(event) => {
          chooseOrganization(event.currentTarget.value);
          navigate('/');
        }}
      >
        {organizations.map((each) => (
          <option key={each.id} value={each.id} dir="auto">
            {each.name}
          </option>
        ))}
      </select>
      <select
        aria-label="Workspace"
        value={workspace?.id ?? ''}
        onChange={(event) => {
          chooseWorkspace(event.currentTarget.value);
          navigate(`/workspaces/${event.currentTarget.value}`);
        }}
      >
        {list.map((each) => (
          <option key={each.id} value={each.id} dir="auto">
            {each.name}
          </option>
        ))}
      </select>
      <nav aria-label="Main">
        <NavLink to="/">Needs attention</NavLink>
        <NavLink to="/designs">Designs</NavLink>
        {workspace && <NavLink to={`/workspaces/${workspace.id}`}>Workspace</NavLink>}
        {id && <NavLink to={`/organizations/${id}/connections`}>Connections</NavLink>}
        {id && <NavLink to={`/organizations/${id}/members`}>Members</NavLink>}
        <NavLink to="/notifications">{unread > 0 ? `Notifications (${unread})` : 'Notifications'}</NavLink>
        <NavLink to="/account">Account</NavLink>
      </nav>
      <SearchField />
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  );
}

function NavLink({ to, children }: { to: string; children: string }) {
  return (
    <a href={addressOf(to)} aria-current={place.value.path === to ? 'page' : undefined}>
      {children}
    </a>
  );
}

/** Typing searches, Enter opens the first result, Escape closes. */
function SearchField() {
  const field = useRef<HTMLInputElement>(null);
  const results = useSignal<Result<'searchRecords'>['results'] | null>(null);
  const failure = useSignal('');
  const turn = useRef(0);
  const search = async (text: string): Promise<void> => {
    const mine = ++turn.current;
    failure.value = '';
    if (text.trim() === '') return void (results.value = null);
    // A word is typed faster than this.
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (mine !== turn.current) return;
    try {
      const { results: found } = await call('searchRecords', { query: { q: text.trim() } });
      if (mine === turn.current) results.value = found;
    } catch (error) {
      if (mine === turn.current) failure.value = (error as Error).message;
    }
  };
  const close = (): void => {
    turn.current += 1;
    results.value = null;
    failure.value = '';
    if (field.current) field.current.value = '';
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || isTyping(event)) return;
      event.preventDefault();
      field.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useEffect(close, [place.value]);
  const list = results.value;
  return (
    <form
      class="search"
      role="search"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        field.current?.blur();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const first = list?.find(({ path }) => hasScreen(path));
        if (first) navigate(first.path);
      }}
    >
      <input
        ref={field}
        type="search"
        aria-label="Search"
        placeholder="Search ( / )"
        autocomplete="off"
        dir="auto"
        maxLength={200}
        onInput={(event) => void search(event.currentTarget.value)}
      />
      <div class="results" role="status">
        {failure.value && <p>{failure}</p>}
        {list?.length === 0 && <p>Nothing found.</p>}
        {list && list.length > 0 && (
          <ul>
            {list.map(({ type, id, name, path }) => (
              <li key={`${type} ${id}`}>
                <RecordLink path={path}>
                  <span class="quiet">{type}</span> <Name>{name}</Name>
                </RecordLink>
              </li>
            ))}
          </ul>
        )}
      </div>
    </form>
  );
}

/** No key acts while a text field has the focus. */
function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return (
    ctrlKey || metaKey || altKey || (target instanceof Element && target.closest('input, textarea, select') !== null)
  );
}

function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    let before = '';
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      if (event.key === '?') dialog.current?.showModal();
      if (before === 'g' && event.key === 'd') navigate('/designs');
      before = event.key;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="help">
      <h2 id="help">Keys</h2>
      <dl class="facts">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search</dd>
        <dt>
          <kbd>g</kbd> <kbd>d</kbd>
        </dt>
        <dd>Designs</dd>
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>These keys</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>Close</dd>
      </dl>
      <form method="dialog">
        <button
          type="submit"
          onClick={(event) => {
            event.preventDefault();
            dialog.current?.close();
          }}
        >
          Close
        </button>
      </form>
    </dialog>
  );
}

/** Calls go on by themselves when the rate limit lets them. */
function Waiting() {
  const now = useSignal(Date.now());
  const until = waitingUntil.value;
  useEffect(() => {
    if (until <= Date.now()) return undefined;
    now.value = Date.now();
    const timer = setInterval(() => {
      now.value = Date.now();
      if (until <= now.peek()) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }, [until]);
  const seconds = Math.ceil((until - now.value) / 1_000);
  if (seconds <= 0) return null;
  return (
    <p class="banner" role="status">
      The rate limit is reached: calls go on in {seconds} s.
    </p>
  );
}

const Footer = () => (
  <footer>
    <a href={addressOf('/api/docs')}>API reference</a>
    <a href={addressOf(`/console/${document.documentElement.dataset['licences'] ?? ''}`)}>Licences</a>
    <span>
      Keys: <kbd>?</kbd>
    </span>
  </footer>
);
