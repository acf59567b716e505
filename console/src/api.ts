import { Armature, ArmatureError, type EventView, type Operations } from '@armature/client';
import { batch, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { TABLE } from '../../clients/typescript/src/generated/table.js';
import { root } from './router.js';
import { findToken, replaceToken, session } from './session.js';

export type OperationName = keyof Operations;
export type Options<K extends OperationName> = Parameters<Operations[K]>[0];
export type Result<K extends OperationName> = Awaited<ReturnType<Operations[K]>>;

/** What an operation is sent as. */
export interface Request {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
}

interface AnyOptions {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  headers?: Record<string, string>;
}

/** No response comes: the server or the network is away. */
export const offline = signal(false);
/** When a rate limit lets calls go on, in milliseconds as of `Date.now`. */
export const waitingUntil = signal(0);

let token: string | undefined;

/** @param onResponse is told of each response */
function connect(onResponse: () => void = () => undefined): Armature {
  return new Armature({
    baseUrl: root.href,
    token: async () => (token = await findToken()),
    fetch: async (input, init) => {
      try {
        const response = await fetch(input, init);
        offline.value = false;
        if (response.status === 429)
          waitingUntil.value = Date.now() + Number(response.headers.get('Retry-After') ?? 1) * 1000;
        if (response.ok) onResponse();
        return response;
      } catch (error) {
        if (!init?.signal?.aborted) offline.value = true;
        throw error;
      }
    },
  });
}

const armature = connect();

export function describe<K extends OperationName>(operation: K, options?: Options<K>): Request {
  const [method, template] = TABLE[operation];
  const { path = {}, query = {}, body } = (options ?? {}) as AnyOptions;
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return {
    method,
    path: template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')),
    query: Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    body,
  };
}

/** Calls an operation. A session that has ended is waited for: nothing that was typed is lost. */
export async function call<K extends OperationName>(operation: K, options?: Options<K>): Promise<Result<K>> {
  const { method, path, query, body } = describe(operation, options);
  const { headers } = (options ?? {}) as AnyOptions;
  for (;;) {
    try {
      return (await armature.request(method, path, { query: withEmpty(query, options), body, headers }))
        .data as Result<K>;
    } catch (error) {
      if (!(await isSignedInAgain(error))) throw error;
    }
  }
}

/** An empty cursor asks for the first page. */
function withEmpty(query: Record<string, string>, options: unknown): Record<string, string> {
  const { query: given = {} } = (options ?? {}) as AnyOptions;
  return given['cursor'] === '' ? { ...query, cursor: '' } : query;
}

/** Waits for another session where a token was refused. */
export async function isSignedInAgain(error: unknown): Promise<boolean> {
  if (!(error instanceof ArmatureError) || error.status !== 401) return false;
  if (!(await replaceToken(token))) await whenSignedIn();
  return true;
}

function whenSignedIn(): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.subscribe((state) => {
      if (state !== 'open') return;
      resolve();
      queueMicrotask(() => stop());
    });
  });
}

/** @param onOpen is told each time that the stream begins, also after a break */
export const followEvents = (
  orgID: string,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<EventView, void, undefined> => connect(onOpen).events({ query: { orgID }, signal });

/** What is known of a call that a screen shows. */
export interface Answer<T> {
  data?: T;
  error?: Error;
  loading: boolean;
}

interface Entry {
  operation: OperationName;
  options: unknown;
  answer: Signal<Answer<unknown>>;
  /** How many components show it. */
  users: number;
  running: boolean;
  /** It changed while it was read. */
  again: boolean;
  /** It is read again soon. */
  due: boolean;
}

const entries = new Map<string, Entry>();
const MOST_ENTRIES = 200;
/** Events come in bursts: each call is repeated once for those of this time. */
const TOGETHER_MS = 400;
const IDLE: Answer<never> = { loading: false };

/** The answer of a call that reads, kept until an event tells of a change. @param operation null: nothing is asked */
export function useCall<K extends OperationName>(operation: K | null, options?: Options<K>): Answer<Result<K>> {
  const key = operation ? JSON.stringify([operation, options]) : '';
  const entry = useMemo(() => (operation ? findEntry(key, operation, options) : null), [key]);
  useEffect(() => {
    if (!entry) return undefined;
    entry.users += 1;
    return () => {
      entry.users -= 1;
    };
  }, [entry]);
  return (entry ? entry.answer.value : IDLE) as Answer<Result<K>>;
}

function findEntry(key: string, operation: OperationName, options: unknown): Entry {
  const kept = entries.get(key);
  if (kept) {
    // What failed is tried again when it is asked for again.
    if (kept.answer.peek().error && kept.users === 0 && !kept.running) {
      kept.answer.value = { loading: true };
      void read(kept);
    }
    return kept;
  }
  const entry: Entry = {
    operation,
    options,
    answer: signal({ loading: true }),
    users: 0,
    running: false,
    again: false,
    due: false,
  };
  entries.set(key, entry);
  forgetOldest();
  void read(entry);
  return entry;
}

function forgetOldest(): void {
  for (const [key, { users }] of entries) {
    if (entries.size <= MOST_ENTRIES) return;
    if (users === 0) entries.delete(key);
  }
}

async function read(entry: Entry): Promise<void> {
  if (entry.running) {
    entry.again = true;
    return;
  }
  entry.running = true;
  try {
    const data = await call(entry.operation, entry.options as never);
    entry.answer.value = { data, loading: false };
  } catch (error) {
    entry.answer.value = { ...kept(entry, error as Error), error: error as Error, loading: false };
  } finally {
    entry.running = false;
  }
  if (entry.again) readSoon(entry);
}

function readSoon(entry: Entry): void {
  if (entry.due) return;
  entry.due = true;
  setTimeout(() => {
    entry.due = entry.again = false;
    if (entry.users > 0) void read(entry);
  }, TOGETHER_MS);
}

/** What was read stays while the server is away, never when one may no longer see it. */
function kept({ answer }: Entry, error: Error): { data?: unknown } {
  const isAway = !(error instanceof ArmatureError) || error.status === 0 || error.status >= 500 || error.status === 429;
  return isAway ? { data: answer.peek().data } : {};
}

/** Reads again what is shown, and forgets the rest. @param isChanged which calls; all unless given */
export function refresh(isChanged: (operation: OperationName, options: unknown) => boolean = () => true): void {
  batch(() => {
    for (const [key, entry] of entries) {
      if (!isChanged(entry.operation, entry.options)) continue;
      if (entry.users === 0) entries.delete(key);
      else readSoon(entry);
    }
  });
}
