import { PassThrough, Writable } from 'node:stream';
import type { PlanView } from '@armature/client';
import { renderPlan } from './plan-view.js';
import { ageOf, tableOf } from './output.js';
import { styled, Terminal } from './terminal.js';

/** What is written to a terminal, or to a pipe. */
function capture(
  isTTY: boolean,
  env: NodeJS.ProcessEnv = {},
): {
  terminal: Terminal;
  stream: NodeJS.WriteStream;
  written: () => string;
} {
  let text = '';
  const sink = new Writable({
    write(part, _, done) {
      text += String(part);
      done();
    },
  });
  const stream = Object.assign(sink, { isTTY, columns: 40, rows: 100 });
  const out = stream as unknown as NodeJS.WriteStream;
  return { terminal: new Terminal(env, out, out), stream: out, written: () => text };
}

describe('a terminal', () => {
  const hostile = 'name\u001b]0;title\u0007\u009b2J\u202egnp.exe\r';

  it('gets control characters of a server as text, and pipes get the data as it is', () => {
    const shown = capture(true);
    shown.terminal.data(`${hostile}\n`);
    shown.terminal.print(styled('red', hostile));
    shown.terminal.say(hostile);
    const escaped = 'name\\u001b]0;title\\u0007\\u009b2J\\u202egnp.exe\\u000d';
    expect(shown.written()).toBe(`${escaped}\n\u001b[31m${escaped}\u001b[0m\n${escaped}\n`);
    const piped = capture(false);
    piped.terminal.data(hostile);
    expect(piped.written()).toBe(hostile);
  });

  it('gets questions without control characters, and Ctrl-C at one ends with 130', async () => {
    const shown = capture(true);
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
    const terminal = new Terminal({}, shown.stream, shown.stream, input as unknown as NodeJS.ReadStream);
    const asked = terminal.askSecret(`Password of ${hostile}: `);
    input.write('abc\u0003');
    await expect(asked).rejects.toMatchObject({ exitCode: 130 });
    const confirmed = terminal.confirm(`Delete ${hostile}?`);
    input.write('y\n');
    expect(await confirmed).toBe(true);
    expect(shown.written()).toContain('Delete name\\u001b]0;title');
    expect(shown.written()).not.toContain('\u001b]0;');
  });

  it('gets the whole text when the pager fails before it has read', async () => {
    const text = Array.from({ length: 200 }, (_, index) => `line ${index}`).join('\n');
    for (const pager of ['exit 3', 'no-such-pager-here 2>/dev/null']) {
      const { terminal, written } = capture(true, { PAGER: pager, PATH: process.env['PATH'] });
      await terminal.page(text);
      expect(written()).toBe(`${text}\n`);
    }
  });

  it('is coloured unless NO_COLOR or a dumb terminal says otherwise, and a pipe never', () => {
    const write = (isTTY: boolean, env: NodeJS.ProcessEnv): string => {
      const { terminal, written } = capture(isTTY, env);
      terminal.print(styled('green', 'ready'));
      return written();
    };
    expect(write(true, {})).toBe('\u001b[32mready\u001b[0m\n');
    for (const plain of [write(true, { NO_COLOR: '1' }), write(true, { TERM: 'dumb' }), write(false, {})])
      expect(plain).toBe('ready\n');
  });
});

describe('a table', () => {
  const records = [
    { name: 'a name that is far too long for a narrow terminal', kind: 'Deployment' },
    { name: '日本語の名前', kind: 'Job' },
  ];
  const columns = [
    ['NAME', ({ name }: { name: string }) => name],
    ['KIND', ({ kind }: { kind: string }) => kind],
  ] as const;

  it('fits into 40 columns, and is whole in a pipe', () => {
    const lines = capture(true).terminal.render(
      tableOf(records, [...columns.map(([a, b]) => [a, b] as [string, typeof b])], 40),
      true,
      false,
    );
    expect(lines.split('\n')).toEqual([
      'NAME                          KIND',
      'a name that is far too lon…   Deployment',
      '日本語の名前                  Job',
    ]);
    expect(tableOf(records, [['NAME', ({ name }) => name]])).toContain('narrow terminal');
    expect(tableOf([], [['NAME', () => '']])).toContain('There are none.');
  });

  it('shows ages in the largest unit', () => {
    const now = Date.parse('2026-01-10T00:00:00Z');
    const ages = ['2026-01-09T23:59:30Z', '2026-01-09T23:00:00Z', '2026-01-09T00:00:00Z', '2026-01-01T00:00:00Z'];
    expect(ages.map((time) => ageOf(time, now))).toEqual(['30s', '60m', '24h', '9d']);
  });
});

describe('a plan', () => {
  const resource = (action: string, name: string, more: object = {}): object => ({
    connection_id: 'c',
    api_version: 'v1',
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    action,
    diff: [],
    verified: true,
    warnings: [],
    replaces: false,
    adopts: false,
    kept: null,
    error: null,
    ...more,
  });
  const plan = {
    plan_id: 'p',
    design_version: 2,
    deployable: false,
    resources: [
      resource('create', 'new'),
      resource('unchanged', 'same'),
      resource('update', 'changed', {
        diff: [
          { path: '/data/a', from: '1', to: '2' },
          { path: '/data/b', from: null, to: 'x' },
        ],
      }),
      resource('update', 'replaced', { replaces: true, diff: [{ path: '/data/c', from: 'y', to: null }] }),
      resource('prune', 'gone'),
      resource('unchanged', 'refused', { error: { reason: 'INVALID', field: 'data', detail: 'is too long' } }),
    ],
    hooks: [{ connection_id: 'c', phase: 'pre-install', kind: 'Job', namespace: 'shop', name: 'migrate', error: null }],
    kept: [],
    policy_violations: [
      {
        policy: 'labels',
        mode: 'enforce',
        kind: 'ConfigMap',
        namespace: 'shop',
        name: 'new',
        message: 'needs labels',
        reason: null,
      },
    ],
    quota: { allowed: true, limit: null, use: 0, key: 'max_deployments_per_day' },
    warnings: ['the namespace is shared'],
    generated: [],
  } as unknown as PlanView;

  it('shows deletions first, the fields of changes, hooks, policies and approvals, and ends with a summary', () => {
    const { terminal } = capture(false);
    const text = renderPlan(plan, { changesOnly: true, environment: 'live', requiredApprovals: 2, width: Infinity });
    expect(terminal.render(text, false, false)).toBe(
      `  - ConfigMap shop/gone has left the design, and will be deleted
-/+ ConfigMap shop/replaced will be deleted and made anew
      - /data/c: "y"
  ~ ConfigMap shop/changed will be changed
      ~ /data/a: "1" -> "2"
      + /data/b: "x"
  + ConfigMap shop/new will be created
    ConfigMap shop/refused is as it should be
      ! INVALID: data: is too long

Hooks, in this order
    pre-install  Job shop/migrate

  ! policy labels forbids ConfigMap shop/new: needs labels
  ! the namespace is shared
  live asks for 2 admins of the workspace to approve; one who deploys counts.

Plan for live: 2 to create, 1 to change, 2 to delete, 2 unchanged.
Plan p of version 2.
It cannot be deployed: 1 resource would be refused.`,
    );
  });
});
