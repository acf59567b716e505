import { ArmatureError } from '@armature/client';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../records.js';
import type { Session } from '../session.js';
import { Terminal } from '../terminal.js';
import { mergeValues } from '../values.js';
import { parseYaml } from '../yaml.js';
import { type Document, readDocuments } from './documents.js';
import { partOf } from './export.js';
import { isEqual, isShownAs, kindNames } from './kinds.js';
import { Planner, type Step } from './planner.js';

const KEYED = 'https://hooks.example/services/T0/abcdefghij0123456789ABCD';
const SHOWN = 'https://hooks.example/services/T0/[redacted]';

/** A server that has these records, and keeps what is written. */
function sessionOf(lists: Record<string, Json[]>, failure?: Error) {
  const written: [string, Json][] = [];
  const session = {
    requireOrganization: () => Promise.resolve({ id: 'o1', name: 'Default' }),
    resolveOrganization: (name: string) => Promise.resolve({ id: 'o1', name }),
    requireWorkspace: () => Promise.resolve({ id: 'w1', name: 'orders' }),
    async *list(list: string) {
      if (failure) throw failure;
      yield* await Promise.resolve(lists[list] ?? []);
    },
    armature: new Proxy(
      {},
      {
        get: (_, operation: string) => (options: Json) => {
          written.push([operation, options]);
          return Promise.resolve({ id: 'new', invitation_url: 'https://armature.example/join/secret' });
        },
      },
    ),
  };
  return { session: session as unknown as Session, written };
}

const document = (kind: string, metadata: Partial<Document['metadata']>, spec: Json = {}): Document => ({
  kind,
  metadata: { name: '', ...metadata },
  spec,
  place: 'all.yaml:1',
});

const ENV = { ARMATURE_SECRET_HOOK: KEYED, ARMATURE_SECRET_MAP: 'token: "ab-secret\n  x: [' };
const plannerFor = (session: Session): Planner => new Planner(session, ENV, null, []);
const shownOf = (steps: readonly Step[]): string[] => steps.map(({ action, name }) => `${action} ${name}`);

const lists = {
  listWorkspaces: [
    { id: 'w1', name: 'orders' },
    { id: 'w2', name: 'shop' },
  ],
  listPolicies: [
    { id: 'p1', name: 'kept' },
    { id: 'p2', name: 'other' },
  ],
};

describe('pruning', () => {
  it('deletes in what the files name, and not in what the context chose', async () => {
    const { session } = sessionOf(lists);
    const chosen = plannerFor(session);
    const documents = [document('Workspace', { name: 'orders' }), document('Policy', { name: 'kept' })];
    expect(shownOf(await chosen.plan(documents, true))).toEqual(['unchanged orders', 'unchanged kept']);
    expect(chosen.warnings).toEqual([
      expect.stringContaining('add metadata.organization'),
      expect.stringContaining('add metadata.workspace'),
    ]);
    const named = [
      document('Workspace', { name: 'orders', organization: 'Default' }),
      document('Policy', { name: 'kept', workspace: 'orders' }),
    ];
    expect(shownOf(await plannerFor(session).plan(named, true))).toEqual([
      'unchanged orders',
      'unchanged kept',
      'delete other',
      'delete shop',
    ]);
  });

  it('keeps the record of a document that names nothing where another names the same organization', async () => {
    const { session } = sessionOf(lists);
    const documents = [
      document('Workspace', { name: 'orders', organization: 'Default' }),
      document('Workspace', { name: 'shop' }),
    ];
    expect(shownOf(await plannerFor(session).plan(documents, true))).toEqual(['unchanged orders', 'unchanged shop']);
  });
});

describe('a webhook whose URL has a key', () => {
  const held = { listWorkspaceWebhooks: [{ id: 'h1', url: SHOWN, events: ['drift'] }] };

  it.each([
    [SHOWN, KEYED],
    ['https://[redacted]@h.example/hook', 'https://me:pass@h.example/hook'],
    ['https://h.example/hook?token=[redacted]&[redacted]#[redacted]', 'https://h.example/hook?token=a/b?c&bare#frag'],
    ['https://h.example/hook', 'https://h.example/hook'],
  ])('is found by %s', (shown, url) => {
    expect(isShownAs(url, shown)).toBe(true);
    expect(isEqual({ url }, { url: shown })).toBe(true);
  });

  it.each([
    [SHOWN, 'https://hooks.example/services/T1/abcdefghij0123456789ABCD'],
    [SHOWN, 'https://hooks.example/services/T0/abcdefghij0123456789ABCD/more'],
    [SHOWN, 'https://hooksXexample/services/T0/abcdefghij0123456789ABCD'],
    ['https://h.example/hook?token=[redacted]', 'https://h.example/hook?other=x'],
    ['https://h.example/hook?token=[redacted]', 'https://h.example/hook?token=x&more=y'],
    ['https://[redacted]@h.example/hook', 'https://h.example/hook'],
  ])('is not found by %s where it is %s', (shown, url) => expect(isShownAs(url, shown)).toBe(false));

  it.each([[KEYED], [{ fromEnv: 'ARMATURE_SECRET_HOOK' }]])(
    'stays the same record, and is neither pruned nor shown: %j',
    async (url) => {
      const { session, written } = sessionOf({ ...lists, ...held });
      const documents = [document('Webhook', { workspace: 'orders' }, { url, events: ['drift'] })];
      const [step, ...others] = await plannerFor(session).plan(documents, true);
      expect(others).toEqual([]);
      expect(step).toMatchObject({ action: 'unchanged', name: SHOWN, changes: [], sendsSecrets: true });
      await step?.run();
      expect(written).toEqual([
        ['updateWorkspaceWebhook', { path: { id: 'w1', webhookId: 'h1' }, body: { url: KEYED } }],
      ]);
    },
  );

  it('is made of a variable that the plan names, and whose value it does not show', async () => {
    const { session, written } = sessionOf(lists);
    const url = { fromEnv: 'ARMATURE_SECRET_HOOK' };
    const steps = await plannerFor(session).plan([document('Webhook', { workspace: 'orders' }, { url })], false);
    expect(steps).toMatchObject([
      { action: 'create', name: 'https://hooks.example/…', reads: ['variable ARMATURE_SECRET_HOOK'] },
    ]);
    expect(JSON.stringify(steps)).not.toContain('abcdefghij');
    await steps[0]?.run();
    expect(written).toEqual([['createWorkspaceWebhook', { path: { id: 'w1' }, body: { url: KEYED } }]]);
  });
});

describe('errors', () => {
  const documents = [document('Workspace', { name: 'orders' })];
  const problem = (status: number, code = 'INVALID_REQUEST') =>
    new ArmatureError('no', { status, code, problem: { code } } as never);

  it.each([[403], [401], [0], [500], [409, 'ENVIRONMENT_FROZEN']])(
    'of status %d are not faults of the files',
    async (...of) => {
      const failure = problem(...(of as [number, string?]));
      await expect(plannerFor(sessionOf({}, failure).session).plan(documents, false)).rejects.toBe(failure);
    },
  );

  it.each([[400], [404], [409]])('of status %d are faults of a document', async (status) => {
    const planner = plannerFor(sessionOf({}, problem(status)).session);
    expect(await planner.plan(documents, false)).toEqual([]);
    expect(planner.faults[0]).toContain('all.yaml:1: Workspace orders: no');
  });
});

describe('secrets', () => {
  it('are not repeated where they are no YAML', async () => {
    const planner = plannerFor(sessionOf(lists).session);
    const secret = { fromEnv: 'ARMATURE_SECRET_MAP' };
    await planner.plan([document('Credential', { name: 'metrics' }, { type: 'prometheus', secret })], false);
    expect(planner.faults).toEqual([
      'all.yaml:1: Credential metrics: spec.secret is a map: refer to a file that has one, or to each of its values',
    ]);
    const folder = mkdtempSync(join(tmpdir(), 'armature-yaml-'));
    for (const [text, said] of [
      ['a: 1\nb: "hunter2\n', ':'],
      ['a: 1\nb: hunter2: x\n', ':2: this is no YAML: block as implicit key'],
      ['a: *hunter2\n', 'an alias has no anchor before it'],
    ] as const) {
      writeFileSync(join(folder, 'values.yaml'), text);
      for (const read of [parseYaml(text, 'values.yaml'), mergeValues([join(folder, 'values.yaml')], [])]) {
        const error = (await read.catch((thrown: unknown) => thrown)) as Error;
        expect(error.message).toContain(said);
        expect(error.message).not.toContain('hunter2');
      }
    }
  });

  it('are no source of a design', async () => {
    const planner = plannerFor(sessionOf(lists).session);
    const source = { source_content: { fromEnv: 'ARMATURE_SECRET_HOOK' } };
    await planner.plan([document('Design', { name: 'page', workspace: 'orders' }, source)], false);
    expect(planner.faults).toEqual(['all.yaml:1: Design page: spec.source_content takes {fromFile: …} only']);
  });
});

describe('links', () => {
  const TEAM = 'apiVersion: armature.dev/v1\nkind: Team\nmetadata: { name: NAME }\n';
  const read = (folder: string) => readDocuments(new Terminal({}), folder, kindNames);

  it('to files and folders of the folder are read once; those that lead out of it, or nowhere, are faults', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'armature-outside-'));
    writeFileSync(join(outside, 'z.yaml'), TEAM.replace('NAME', 'z'));
    const folder = mkdtempSync(join(tmpdir(), 'armature-links-'));
    mkdirSync(join(folder, '.data', 'more'), { recursive: true });
    writeFileSync(join(folder, '.data', 'a.yaml'), TEAM.replace('NAME', 'a'));
    writeFileSync(join(folder, '.data', 'more', 'b.yaml'), TEAM.replace('NAME', 'b'));
    symlinkSync(join('.data', 'a.yaml'), join(folder, 'a.yaml'));
    symlinkSync('a.yaml', join(folder, 'again.yaml'));
    symlinkSync(join('.data', 'more'), join(folder, 'more'));
    symlinkSync('..', join(folder, '.data', 'more', 'round'));
    expect((await read(folder)).all.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    for (const target of [join(outside, 'z.yaml'), outside, 'nowhere.yaml']) {
      const bad = mkdtempSync(join(tmpdir(), 'armature-links-'));
      writeFileSync(join(bad, 'a.yaml'), TEAM.replace('NAME', 'a'));
      symlinkSync(target, join(bad, 'z.yaml'));
      await expect(read(bad)).rejects.toThrow('which is not in the folder');
    }
  });
});

it.each([
  ['..', '%2E%2E'],
  ['.hidden', '%2Ehidden'],
  ['a/../../b', 'a%2F..%2F..%2Fb'],
  ['..\\x', '%2E%2E%5Cx'],
  ['page', 'page'],
])('an export writes %s as the part %s of a path', (name, part) => expect(partOf(name)).toBe(part));
