import { ArmatureError } from '@armature/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useRef } from 'preact/hooks';
import { type Answer, call, offline, type OperationName, type Options, type Result, useCall } from './api.js';
import { toArmature, toCurl } from './commands.js';
import { moves } from './router.js';

/** The one main region of a screen, with its one heading, which has the focus when it was opened by a click. */
export function Screen({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Armature`;
  }, [title]);
  useEffect(() => {
    if (moves > 0) heading.current?.focus();
  }, []);
  return (
    <main id="main">
      <div class="title">
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </main>
  );
}

/** A name that somebody or something else chose: text of any length, in any direction. */
export const Name = ({ children }: { children: ComponentChildren }) => <bdi class="name">{children}</bdi>;

/** A sentence of the server, whose times are shown as all others. */
export const Sentence = ({ children }: { children: string | null | undefined }) => (
  <Name>{children?.split(TIMES).map((part) => (TIME.test(part) ? <Time at={part} /> : part))}</Name>
);
const TIMES = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)/;
const TIME = new RegExp(`^${TIMES.source}$`);

export const Loading = () => (
  <p class="state" role="status">
    Loading…
  </p>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="state">{children}</p>;

/** Why a call failed, and what can be done about it. */
export function Failure({ error }: { error: Error }) {
  const { title, remedy, id } = explain(error);
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>{title}</strong> <Sentence>{error.message}</Sentence>
      </p>
      {error instanceof ArmatureError && error.errors.length > 0 && (
        <ul>
          {error.errors.map(({ pointer, detail }) => (
            <li>{pointer ? `${pointer}: ${detail}` : detail}</li>
          ))}
        </ul>
      )}
      {remedy && <p>{remedy}</p>}
      {id && <p class="quiet">Request {id}</p>}
    </div>
  );
}

function explain(error: Error): { title: string; remedy?: string; id?: string } {
  if (!(error instanceof ArmatureError)) return { title: 'This did not work.' };
  const { status, remedy, requestId: id } = error;
  if (status === 403) return { title: 'Not allowed.', remedy, id };
  if (status === 404 || status === 410) return { title: 'Not found: it was deleted, or it is not for your eyes.', id };
  if (status === 0)
    return { title: 'The server does not respond.', remedy: 'What was read before is shown until it is back.' };
  if (status === 429) return { title: 'Too many calls.', remedy, id };
  if (status === 502 || status === 504) return { title: 'A cluster or another system failed.', remedy, id };
  return { title: status >= 500 ? 'The server failed.' : 'This was refused.', remedy, id };
}

/** What a call answered, in each of its states. */
export function Shown<T>({ answer, children }: { answer: Answer<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, loading } = answer;
  return (
    <>
      {error && <Failure error={error} />}
      {data !== undefined ? children(data) : loading && <Loading />}
    </>
  );
}

const GOOD = new Set([
  'Healthy',
  'succeeded',
  'ready',
  'connected',
  'in_sync',
  'active',
  'success',
  'verified',
  'applied',
  'approved',
]);
const BAD = new Set([
  'Degraded', 'Missing', 'failed', 'error', 'critical', 'alert', 'emergency', 'disconnected', 'drifted', 'changed', 'missing', 'delete',
  'prune', 'rolled_back', 'not found', 'degraded', 'connection', 'webhook', 'rejected',
]); // prettier-ignore
const BUSY = new Set([
  'Progressing', 'Suspended', 'running', 'queued', 'pending_approval', 'pending', 'waiting', 'warning', 'update', 'approval', 'frozen',
  'deleting', 'maintenance', 'unknown', 'Unknown', 'production',
]); // prettier-ignore

/** A word of state: its colour repeats what it says. */
export function Badge({ children }: { children: string }) {
  const kind = GOOD.has(children) ? 'good' : BAD.has(children) ? 'bad' : BUSY.has(children) ? 'busy' : 'plain';
  return <span class={`badge ${kind}`}>{children.replaceAll('_', ' ')}</span>;
}

export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <>–</>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <>{at}</>;
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}

/** How long ago, as of when it is drawn. */
export function Age({ at }: { at: string | null | undefined }) {
  if (!at) return <>–</>;
  const seconds = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
  const [unit, size] = UNITS.find(([, least]) => seconds >= least) ?? (['s', 1] as const);
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {Math.floor(seconds / size)} {unit}
    </time>
  );
}
const UNITS = [['d', 86_400], ['h', 3_600], ['min', 60]] as const; // prettier-ignore

export interface Column<T> {
  title: string;
  cell: (row: T) => ComponentChildren;
  /** Shown on wide screens only. */
  wide?: boolean;
}

/** A table that scrolls by itself where it is wider than the screen. */
export function Table<T>({
  caption,
  columns,
  rows,
  rowClass,
}: {
  caption: string;
  columns: Column<T>[];
  rows: readonly T[];
  rowClass?: (row: T) => string;
}) {
  const id = useId();
  return (
    <div class="table" role="region" aria-labelledby={id} tabIndex={0}>
      <table>
        <caption id={id}>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, wide }) => (
              <th scope="col" class={wide ? 'wide' : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr class={rowClass?.(row)}>
              {columns.map(({ cell, wide }) => (
                <td class={wide ? 'wide' : undefined}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Rows that are all here, a page at a time. */
export function Paged<T>({
  rows,
  size = 100,
  children,
}: {
  rows: readonly T[];
  size?: number;
  children: (rows: readonly T[]) => ComponentChildren;
}) {
  const page = useSignal(0);
  const last = Math.max(0, Math.ceil(rows.length / size) - 1);
  const current = Math.min(page.value, last);
  return (
    <>
      {children(rows.slice(current * size, (current + 1) * size))}
      {last > 0 && (
        <Pager
          label={`${current * size + 1} to ${Math.min(rows.length, (current + 1) * size)} of ${rows.length}`}
          back={current > 0 ? () => (page.value = current - 1) : undefined}
          on={current < last ? () => (page.value = current + 1) : undefined}
        />
      )}
    </>
  );
}

function Pager({ label, back, on }: { label: string; back?: () => void; on?: () => void }) {
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" disabled={!back} onClick={back}>
        Previous page
      </button>
      <span role="status">{label}</span>
      <button type="button" disabled={!on} onClick={on}>
        Next page
      </button>
    </nav>
  );
}

type Page = { next_cursor?: string | null; total_count?: number };

/** A list of the server, a page at a time by cursors. */
export function List<K extends OperationName>({
  operation,
  options,
  children,
}: {
  operation: K;
  options: Options<K>;
  children: (page: Result<K>) => ComponentChildren;
}) {
  const key = JSON.stringify([operation, options]);
  const cursors = useSignal<{ key: string; list: string[] }>({ key, list: [''] });
  const list = cursors.value.key === key ? cursors.value.list : [''];
  const { query, ...rest } = (options ?? {}) as { query?: object };
  const cursor = list.at(-1) ?? '';
  const answer = useCall(operation, { ...rest, query: { pagesize: 50, ...query, cursor } });
  const next = (answer.data as Page | undefined)?.next_cursor;
  return (
    <Shown answer={answer}>
      {(data) => (
        <>
          {children(data)}
          {(list.length > 1 || next) && (
            <Pager
              label={`Page ${list.length}`}
              back={list.length > 1 ? () => (cursors.value = { key, list: list.slice(0, -1) }) : undefined}
              on={next ? () => (cursors.value = { key, list: [...list, next] }) : undefined}
            />
          )}
        </>
      )}
    </Shown>
  );
}

export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const said = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      said.value = 'Copied';
    } catch {
      // Without TLS browsers have no clipboard for pages.
      said.value = text();
    }
  };
  return (
    <span class="copy">
      <button type="button" class="small" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said.value === 'Copied' ? said : said.value && <code>{said}</code>}</span>
    </span>
  );
}

/** The call that an action makes, for a terminal. */
export const Calls = <K extends OperationName>({ operation, options }: { operation: K; options: () => Options<K> }) => (
  <span class="calls">
    <CopyButton label="Copy as curl" text={() => toCurl(operation, options())} />
    <CopyButton label="Copy as armature" text={() => toArmature(operation, options())} />
  </span>
);

interface Running {
  busy: boolean;
  error: Error | undefined;
  run: () => void;
}

/** Runs one call at a time, and keeps why it failed. */
export function useAction<K extends OperationName>(
  operation: K,
  options: () => Options<K>,
  onDone: (result: Result<K>) => void = () => undefined,
): Running {
  const state = useSignal<{ busy: boolean; error?: Error }>({ busy: false });
  const run = async (): Promise<void> => {
    if (state.peek().busy) return;
    state.value = { busy: true };
    try {
      const result = await call(operation, options());
      state.value = { busy: false };
      onDone(result);
    } catch (error) {
      state.value = { busy: false, error: error as Error };
    }
  };
  return { busy: state.value.busy, error: state.value.error, run: () => void run() };
}

/** Why an action is not there: the reason that the server gives. */
export const Cause = ({ action, reason }: { action: string; reason: string }) => (
  <p class="cause">
    {action}: <Sentence>{reason}</Sentence>
  </p>
);

export interface Permission {
  allowed: boolean;
  reason: string | null;
}

/** A button for one call. One who may not has no button but the cause. */
export function Action<K extends OperationName>({
  label,
  operation,
  options,
  permission,
  primary,
  onDone,
}: {
  label: string;
  operation: K;
  options: () => Options<K>;
  permission?: Permission;
  primary?: boolean;
  onDone?: (result: Result<K>) => void;
}) {
  const { busy, error, run } = useAction(operation, options, onDone);
  if (permission && !permission.allowed) return <Cause action={label} reason={permission.reason ?? 'not allowed'} />;
  return (
    <div class="action">
      <button type="button" class={primary ? 'primary' : undefined} aria-disabled={busy} onClick={run}>
        {busy ? `${label}…` : label}
      </button>
      <details class="call">
        <summary>Call</summary>
        <Calls operation={operation} options={options} />
      </details>
      {error && <Failure error={error} />}
    </div>
  );
}

/** Text above a field, what is wrong with it below. */
export function Field({
  label,
  hint,
  children,
}: {
  label: string;
  hint?: string;
  children: (id: string) => ComponentChildren;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
      {hint && <p class="quiet">{hint}</p>}
    </div>
  );
}

/** Forms send calls, never themselves. */
export const onSubmit =
  (run: () => void) =>
  (event: { preventDefault(): void }): void => {
    event.preventDefault();
    run();
  };

/** A picture of the server, drawn as an image: nothing in it can run. */
export function Picture({ svg, title }: { svg: string; title: string }) {
  const url = useMemo(() => URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' })), [svg]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return (
    <div class="picture" role="region" aria-label={`Picture: ${title}`} tabIndex={0}>
      <img src={url} alt={`Diagram of ${title}`} />
    </div>
  );
}

/** Waits visibly, and tells when the server is away. */
export const Offline = () =>
  offline.value ? (
    <p class="banner" role="status">
      The server cannot be reached. What is shown may be old; it is read again when the server is back.
    </p>
  ) : null;
