import { signal } from '@preact/signals';
import { root } from './router.js';

interface Token {
  value: string;
  /** In milliseconds, as of `Date.now`. */
  expiresAt: number;
}

/** `ended`: a session was there, and what is open stays open until someone signs in again. */
export type SessionState = 'starting' | 'open' | 'ended' | 'none';

export const session = signal<SessionState>('starting');

/** A token that ends so soon is replaced before it is used. */
const EARLY_MS = 30_000;
const REFRESH = 'api/auth/console/session';

/** In memory only; the cookie that renews it is out of reach of scripts. */
let token: Token | null = null;
let renewal: Promise<void> | null = null;
/** Whose session it is: what one person typed is never sent by another. */
let person: string | undefined;

type Message = { kind: 'token'; token: Token } | { kind: 'signed-out' } | { kind: 'signed-in' };
const tabs = new BroadcastChannel(`armature-session ${root.pathname}`);
tabs.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.kind === 'token') hold(data.token);
  else if (data.kind === 'signed-out') end('none');
  else if (session.peek() !== 'open') void renew();
};

const tell = (message: Message): void => tabs.postMessage(message);

/** Continues the session of the cookie, if there is one. */
export const startSession = (): Promise<void> => renew();

/** A token for the next call; undefined without a session. */
export async function findToken(): Promise<string | undefined> {
  if (session.peek() !== 'open') return undefined;
  if (!token || token.expiresAt - Date.now() < EARLY_MS) await renew();
  return token?.value;
}

/** Replaces a token that was refused. @returns whether there is another */
export async function replaceToken(refused: string | undefined): Promise<boolean> {
  if (token?.value === refused) {
    token = null;
    await renew();
  }
  return session.peek() === 'open';
}

/** One renewal at a time, in this tab and, where the browser has locks, in all tabs: the others are told of the token. */
function renew(): Promise<void> {
  renewal ??= inTurn(async () => {
    if (token && token.expiresAt - Date.now() >= EARLY_MS) return open();
    const response = await fetch(new URL(REFRESH, root), { method: 'POST' }).catch(() => undefined);
    if (response?.ok) return take((await response.json()) as Tokens);
    // A server that is away ends no session.
    if (response && response.status < 500 && response.status !== 429)
      return end(session.peek() === 'open' ? 'ended' : 'none');
    if (session.peek() === 'starting') end('none');
  }).finally(() => (renewal = null));
  return renewal;
}

function inTurn(work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager };
  return locks ? locks.request(`armature-session ${root.pathname}`, work) : work();
}

interface Tokens {
  access_token: string;
  expires_in: number;
}

function take(body: Tokens): void {
  const taken = { value: body.access_token, expiresAt: Date.now() + body.expires_in * 1000 };
  tell({ kind: 'token', token: taken });
  if (hold(taken)) open();
}

/** @returns whether it is of the same person as before; for another one the page begins anew */
function hold(taken: Token): boolean {
  const whose = subjectOf(taken.value);
  if (person !== undefined && person !== whose) {
    window.location.reload();
    return false;
  }
  person = whose;
  token = taken;
  return true;
}

/** The person in a token, which only its server can check. */
function subjectOf(value: string): string {
  const [, payload = ''] = value.split('.');
  return (JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { sub: string }).sub;
}

function open(): void {
  session.value = 'open';
}

function end(state: 'ended' | 'none'): void {
  token = null;
  if (session.peek() !== 'ended') session.value = state;
}

/** @returns why it was refused, if it was */
export async function signIn(email: string, password: string): Promise<string | undefined> {
  const response = await fetch(new URL('api/auth/console/login', root), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  }).catch(() => undefined);
  if (!response) return 'The server cannot be reached.';
  const body = (await response.json().catch(() => ({}))) as {
    access_token: string;
    expires_in: number;
    detail?: string;
  };
  if (!response.ok) return body.detail ?? `The server refused it (${response.status}).`;
  take(body);
  tell({ kind: 'signed-in' });
  return undefined;
}

export async function signOut(): Promise<void> {
  await fetch(new URL(REFRESH, root), { method: 'DELETE' }).catch(() => undefined);
  tell({ kind: 'signed-out' });
  // Nothing of what was read stays in memory.
  window.location.assign(root.href);
}
