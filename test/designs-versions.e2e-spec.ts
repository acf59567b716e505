import type { Json, Person } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
});
afterAll(() => world.stop());

const manifest = (replicas: number, more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: nginx:1.27
          env: [{name: A, value: "1"}, {name: B, value: "2"}]
${more}`;
const CONFIG = '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n';

const create = (by: Person, text: string): Promise<Json> =>
  done(by.post('/api/pattern', { name: 'shop', pattern_data: { pattern_file: text }, workspace_id: scene.id }));
const change = (by: Person, id: string, text: string, message?: string): Promise<Json> =>
  done(by.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: text }, message }));

describe('the versions of a design', () => {
  it('are kept one by one, with who made them and why, and can be read for ever', async () => {
    const { editor, viewer } = people;
    const { id } = await create(editor, manifest(1));
    await change(editor, id, manifest(2), 'twice as many');
    const list = await viewer.get(`/api/pattern/${id}/versions`);
    expect(list).toMatchObject({
      status: 200,
      body: {
        page: 0,
        page_size: 20,
        total_count: 2,
        versions: [
          {
            design_id: id,
            number: 2,
            version: '0.0.2',
            user_id: editor.id,
            message: 'twice as many',
            source_type: 'kubernetes',
          },
          { number: 1, version: '0.0.1', user_id: editor.id, message: '' },
        ],
      },
    });
    expect(list.body.versions[0]).not.toHaveProperty('pattern_file');
    const first = await viewer.get(`/api/pattern/${id}/versions/1`);
    expect(first).toMatchObject({ status: 200, body: { number: 1, version: '0.0.1' } });
    expect(first.body.pattern_file).toContain('replicas: 1');
    expect((await viewer.get(`/api/pattern/${id}/versions?order=number asc&pagesize=1`)).body).toMatchObject({
      total_count: 2,
      versions: [{ number: 1 }],
    });
    for (const number of ['3', '2147483647', '-1', 'one', '1.5'])
      expect((await viewer.get(`/api/pattern/${id}/versions/${number}`)).status).toBe(404);
    for (const number of ['0', '99999999999'])
      expect(await viewer.get(`/api/pattern/${id}/versions/${number}`)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: 'number' }] },
      });
    expect((await people.member.get(`/api/pattern/${id}/versions`)).status).toBe(404);
    const large = { number: 2 ** 31, name: 'large' };
    expect((await editor.post(`/api/pattern/${id}/snapshots`, large)).body).toMatchObject({ status: 400, errors: [{ pointer: '/number' }] }); // prettier-ignore
    expect(list.body.versions.map(({ current }: Json) => current as boolean)).toEqual([true, false]);
  });

  it('are walked by cursor without a gap', async () => {
    const { id } = await create(people.editor, manifest(1));
    for (const replicas of [2, 3, 4, 5]) await change(people.editor, id, manifest(replicas));
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: Json = await people.viewer.get(
        `/api/pattern/${id}/versions?pagesize=2&cursor=${encodeURIComponent(cursor)}`,
      );
      seen.push(...body.versions.map(({ number }: Json) => number as number));
      cursor = body.next_cursor as string | null;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it('come back as the next version, with what they were imported from', async () => {
    const { editor, viewer } = people;
    const { id } = await create(editor, manifest(1));
    await change(editor, id, manifest(2));
    const url = `/api/pattern/${id}/versions/1/restore`;
    expect((await viewer.post(url)).status).toBe(403);
    const restored = await editor.post(url, { message: 'back again' });
    expect(restored).toMatchObject({ status: 200, body: { id, version_number: 3, version: '0.0.3' } });
    expect(restored.body.pattern_file).toContain('replicas: 1');
    expect((await editor.get(`/api/pattern/download/${id}?export=source`)).body).toBe(manifest(1));
    expect((await editor.get(`/api/pattern/${id}/versions?pagesize=1`)).body.versions[0].message).toBe('back again');
    expect((await editor.get(`/api/pattern/${id}/diff?from=1&to=3`)).body).toMatchObject({ equal: true });
    expect((await editor.post(`/api/pattern/${id}/versions/9/restore`)).status).toBe(404);
    expect((await editor.post(url, {}, { headers: { 'if-match': '"1-stale"' } })).status).toBe(412);
  });

  it('are not made of content that is no longer current', async () => {
    const { editor } = people;
    const { id } = await create(editor, manifest(1));
    const large = Array.from({ length: 8000 }, (_, index) => CONFIG.replace('settings', `settings-${index}`)).join('');
    const slow = editor.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: large } });
    let isReading = true;
    void slow.finally(() => (isReading = false));
    // Nobody knows from outside when the large content has been received and its reading begins.
    let replicas = 1;
    while (isReading) await change(editor, id, manifest(++replicas));
    const { status, body } = await slow;
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'CONCURRENT_CHANGE' });
    expect((await editor.get(`/api/pattern/${id}`)).body.pattern_file).toContain(`replicas: ${replicas}`);
  });

  it('have no gap and no double when changes race', async () => {
    const { editor } = people;
    const { id } = await create(editor, manifest(1));
    const answers = await Promise.all(
      [2, 3, 4, 5].map((replicas) =>
        editor.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: manifest(replicas) } }),
      ),
    );
    const taken = answers.filter(({ status }) => status === 200).length;
    expect(answers.every(({ status, body }) => status === 200 || body.code === 'CONCURRENT_CHANGE')).toBe(true);
    expect(taken).toBeGreaterThan(0);
    const { body } = await editor.get(`/api/pattern/${id}/versions`);
    expect(body.versions.map(({ number }: Json) => number)).toEqual(
      Array.from({ length: taken + 1 }, (_, index) => taken + 1 - index),
    );
  });
});

describe('a version', () => {
  const designFile = (version: string, colour = 'blue'): string =>
    JSON.stringify({
      name: 'shop',
      version,
      components: [
        {
          displayName: 'settings',
          component: { kind: 'ConfigMap', version: 'v1' },
          configuration: { metadata: { name: 'settings' }, data: { colour } },
        },
      ],
    });

  it('is not made of the content that is current already', async () => {
    const { editor } = people;
    const { id } = await create(editor, manifest(1));
    expect(await change(editor, id, manifest(1))).toMatchObject({ version_number: 1, version: '0.0.1' });
    const { pattern_file } = (await editor.get(`/api/pattern/${id}`)).body;
    expect(await change(editor, id, pattern_file as string)).toMatchObject({ version_number: 1 });
    expect((await editor.get(`/api/pattern/download/${id}?export=source`)).body).toBe(manifest(1));
    expect((await editor.post(`/api/pattern/${id}/versions/1/restore`)).body).toMatchObject({ version_number: 1 });
    const renamed = { id, name: 'store', pattern_data: { pattern_file: manifest(1) } };
    expect((await editor.put('/api/pattern/yaml', renamed)).body).toMatchObject({ name: 'store', version_number: 1 });
    expect(await change(editor, id, `# with a comment\n${manifest(1)}`)).toMatchObject({ version_number: 2 });
  });

  it('keeps what its author wrote as version when it is semver and higher than the last one', async () => {
    const { editor } = people;
    const { id, version } = await create(editor, designFile('1.2.0'));
    expect(version).toBe('1.2.0');
    expect(await change(editor, id, designFile('2.0.0-rc.1', 'red'))).toMatchObject({ version: '2.0.0-rc.1' });
    expect(await change(editor, id, designFile('2.0.0', 'red'))).toMatchObject({ version: '2.0.0', version_number: 3 });
    expect(await change(editor, id, designFile('1.9.9', 'green'))).toMatchObject({ version: '2.0.1' });
    const changed = await change(editor, id, designFile('first', 'grey'));
    expect(changed).toMatchObject({ version: '2.0.2', pattern_file: expect.stringContaining('version: 2.0.2') });
    expect(await create(editor, designFile('first'))).toMatchObject({ version: '0.0.1' });
  });

  it('is what it was after the design has been renamed', async () => {
    const { editor } = people;
    const { id } = await create(editor, manifest(1));
    await change(editor, id, manifest(2));
    const contents = () =>
      Promise.all(
        [1, 2].map(async (n) => (await editor.get(`/api/pattern/${id}/versions/${n}`)).body.pattern_file as string),
      );
    const before = await contents();
    const renamed = await editor.put('/api/pattern/yaml', { id, name: 'store' });
    expect(renamed.body).toMatchObject({ version_number: 2, pattern_file: expect.stringContaining('name: store\n') });
    expect(await contents()).toEqual(before);
  });
});

describe('the difference of two versions', () => {
  it('is reported by component with JSON Pointers, and nothing that means the same is in it', async () => {
    const { editor, viewer } = people;
    const { id } = await create(editor, manifest(1, CONFIG));
    const reordered = manifest(1).replace(
      '[{name: A, value: "1"}, {name: B, value: "2"}]',
      '[{value: "2", name: B}, {name: A, value: "1"}]',
    );
    await change(editor, id, CONFIG.replace('---\n', '') + '---\n' + reordered);
    expect((await viewer.get(`/api/pattern/${id}/diff?from=1&to=2`)).body).toMatchObject({
      from: 1,
      to: 2,
      equal: true,
      counts: { unchanged: 2 },
    });
    await change(
      editor,
      id,
      manifest(3, '---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n'),
    );
    const diff = await viewer.get(`/api/pattern/${id}/diff`);
    expect(diff).toMatchObject({
      status: 200,
      body: {
        from: 2,
        to: 3,
        equal: false,
        added: [{ kind: 'Service', name: 'web', api_version: 'v1' }],
        removed: [{ kind: 'ConfigMap', name: 'settings' }],
        changed: [
          {
            kind: 'Deployment',
            name: 'web',
            changes: [{ pointer: '/configuration/spec/replicas', change: 'changed', from: 1, to: 3 }],
          },
        ],
        counts: { added: 1, removed: 1, changed: 1, unchanged: 0 },
      },
    });
    expect((await viewer.get(`/api/pattern/${id}/diff?from=3&to=1`)).body.changed[0].changes).toMatchObject([
      { from: 3, to: 1 },
    ]);
    expect((await viewer.get(`/api/pattern/${id}/diff?from=1&to=9`)).status).toBe(404);
    expect((await viewer.get(`/api/pattern/${id}/diff?from=x`)).status).toBe(404);
    expect(await viewer.get(`/api/pattern/${id}/diff?from=0`)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'from' }] },
    });
    expect((await people.outsider.get(`/api/pattern/${id}/diff`)).status).toBe(404);
  });
});

describe('snapshots', () => {
  it('hold what a deployment has rendered for a cluster for the members of the workspace only', async () => {
    const { editor, viewer, member } = people;
    const { id } = await create(editor, manifest(1));
    for (const replicas of [2, 3]) await change(editor, id, manifest(replicas));
    await world.sql('UPDATE design_version SET variant_of = 1 WHERE design_id = $1 AND number = 2', [id]);
    await done(editor.put('/api/pattern/yaml', { id, visibility: 'organization' }));
    const statuses = (by: Person) =>
      Promise.all(
        ['versions/1', 'versions/2', 'diff?from=1&to=3', 'diff?from=2&to=3', 'diff?from=1&to=2'].map(
          async (path) => (await by.get(`/api/pattern/${id}/${path}`)).status,
        ),
      );
    expect(await statuses(viewer)).toEqual([200, 200, 200, 200, 200]);
    expect(await statuses(member)).toEqual([200, 403, 200, 403, 403]);
  });

  it('name versions for ever, each name once', async () => {
    const { editor, viewer } = people;
    const { id } = await create(editor, manifest(1));
    const url = `/api/pattern/${id}/snapshots`;
    const made = await editor.post(url, { name: 'Release 1' });
    expect(made).toMatchObject({
      status: 201,
      body: { design_id: id, name: 'Release 1', number: 1, user_id: editor.id },
    });
    await change(editor, id, manifest(2));
    expect(await editor.post(url, { name: 'release 1' })).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } });
    expect(await editor.post(url, { name: 'before', number: 1 })).toMatchObject({ status: 201, body: { number: 1 } });
    expect((await editor.post(url, { name: 'none', number: 7 })).status).toBe(404);
    expect((await editor.post(url, { name: ' ' })).status).toBe(400);
    expect((await viewer.post(url, { name: 'mine' })).status).toBe(403);
    expect(await viewer.get(`${url}?order=name asc`)).toMatchObject({
      status: 200,
      body: { total_count: 2, snapshots: [{ name: 'before' }, { name: 'Release 1', number: 1 }] },
    });
    expect((await people.outsider.get(url)).status).toBe(404);
    const { body: diff } = await viewer.get(`/api/pattern/${id}/diff?from=BEFORE&to=2`);
    expect(diff).toMatchObject({ from: 1, to: 2, equal: false });
    expect((await viewer.get(`/api/pattern/${id}/versions/release%201`)).body).toMatchObject({ number: 1 });
    const restored = await editor.post(`/api/pattern/${id}/versions/Release%201/restore`);
    expect(restored).toMatchObject({ status: 200, body: { version_number: 3 } });
    expect((await editor.post(`/api/pattern/${id}/versions/Release%202/restore`)).status).toBe(404);
    const other = await create(editor, manifest(1));
    expect((await editor.post(`/api/pattern/${other.id}/snapshots`, { name: 'Release 1' })).status).toBe(201);
  });
});
