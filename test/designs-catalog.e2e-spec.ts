import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
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

const configMap = (colour: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: ${colour}}\n`;
const create = (by: Person, name: string, text = configMap('blue')): Promise<Json> =>
  done(by.post('/api/pattern', { name, pattern_data: { pattern_file: text }, workspace_id: scene.id }));
const DATA = { content_class: 'community', type: 'Workloads', pattern_info: 'A shop', compatibility: ['Istio'] };
const publish = (by: Person, id: string, data: object = DATA) =>
  by.post('/api/pattern/catalog/publish', { id, catalog_data: data });
const unpublish = (by: Person, id: string) => by.delete('/api/pattern/catalog/unpublish', { body: { id } });

describe('the catalog', () => {
  it('shows a published design to everybody who is signed in, in its published version only', async () => {
    const { admin, outsider, stranger, member } = people;
    const name = `shown ${randomUUID()}`;
    const { id } = await create(admin, name);
    expect((await outsider.get(`/api/pattern/${id}`)).status).toBe(404);
    const published = await publish(admin, id);
    expect(published).toMatchObject({
      status: 200,
      body: { id, visibility: 'public', catalog_data: { ...DATA, published_version: '0.0.1' } },
    });
    await done(
      admin.put('/api/pattern/yaml', {
        id,
        name: 'secretly renamed',
        pattern_data: {
          pattern_file: `${configMap('green')}---\napiVersion: ghosts/v1\nkind: Ghost\nmetadata: {name: g}\n`,
        },
      }),
    );
    for (const reader of [outsider, member]) {
      const read = await reader.get(`/api/pattern/${id}?populate=source_content`);
      expect(read).toMatchObject({
        status: 200,
        body: { id, name, version: '0.0.1', version_number: 1, visibility: 'public', canSupport: true, errmsg: '' },
      });
      expect(JSON.stringify(read.body)).not.toMatch(/green|Ghost|secretly/);
      expect(read.body.pattern_file).toContain('blue');
      expect((await reader.get(`/api/pattern/download/${id}`)).body).toContain('blue');
      expect((await reader.get(`/api/pattern/${id}/versions`)).body).toMatchObject({
        total_count: 1,
        versions: [{ number: 1 }],
      });
      expect((await reader.get(`/api/pattern/${id}/versions/2`)).status).toBe(404);
      expect((await reader.get(`/api/pattern/${id}/diff?from=1&to=2`)).status).toBe(404);
      expect((await reader.put('/api/pattern/yaml', { id, name: 'mine' })).status).toBe(403);
      expect((await reader.delete(`/api/pattern/${id}`)).status).toBe(403);
      expect((await publish(reader, id)).status).toBe(403);
      expect((await reader.post(`/api/pattern/${id}/versions/1/restore`)).status).toBe(403);
      expect((await reader.post(`/api/pattern/${id}/snapshots`, { name: 'x' })).status).toBe(403);
      expect((await reader.get('/api/pattern')).body.patterns.map((each: Json) => each.id)).not.toContain(id);
    }
    expect((await stranger.get(`/api/pattern/${id}`)).status).toBe(401);
    expect((await stranger.get('/api/pattern/catalog')).status).toBe(401);
    const own = await people.viewer.get(`/api/pattern/${id}`);
    expect(own.body).toMatchObject({ version_number: 2, name: 'secretly renamed' });
    expect(own.body.pattern_file).toContain('name: secretly renamed');
    const again = await publish(admin, id);
    expect(again.body.catalog_data.published_version).toBe('0.0.2');
    expect((await outsider.get(`/api/pattern/${id}`)).body).toMatchObject({
      version_number: 2,
      name: 'secretly renamed',
    });
    expect(await unpublish(admin, id)).toMatchObject({
      status: 200,
      body: { visibility: 'workspace', catalog_data: {} },
    });
    expect((await outsider.get(`/api/pattern/${id}`)).status).toBe(404);
  });

  it('is published to by admins of the workspace, with sound data', async () => {
    const { id } = await create(people.editor, 'data');
    for (const by of [people.viewer, people.editor]) expect((await publish(by, id)).status).toBe(403);
    for (const by of [people.outsider, people.member]) expect((await publish(by, id)).status).toBe(404);
    expect(
      await publish(people.admin, id, { content_class: 'best', compatibility: [1], pattern_info: {} }),
    ).toMatchObject({
      status: 400,
      body: {
        errors: [
          { pointer: '/catalog_data/content_class' },
          { pointer: '/catalog_data/type', detail: expect.stringContaining('Traffic-management') },
          { pointer: '/catalog_data/pattern_info' },
          { pointer: '/catalog_data/compatibility' },
        ],
      },
    });
    expect((await people.admin.post('/api/pattern/catalog/publish', { id })).body.errors).toMatchObject([
      { pointer: '/catalog_data' },
    ]);
    const taken = await publish(people.admin, id, {
      content_class: 'Verified',
      type: 'traffic-management',
      snapshotURL: 'x',
      published_version: '9',
    });
    expect(taken.body.catalog_data).toMatchObject({
      content_class: 'verified',
      type: 'Traffic-management',
      snapshotURL: 'x',
      published_version: '0.0.1',
      compatibility: [],
    });
    const set = (visibility: string) => people.editor.put('/api/pattern/yaml', { id, visibility });
    expect(await set('workspace')).toMatchObject({ status: 409, body: { code: 'PUBLISHED' } });
    expect((await set('public')).status).toBe(200);
    const stale = { headers: { 'if-match': '"stale"' } };
    expect((await people.admin.delete(`/api/pattern/catalog/unpublish?id=${id}`, stale)).status).toBe(412);
    const query = await people.admin.delete(`/api/pattern/catalog/unpublish?id=${id}`);
    expect(query).toMatchObject({ status: 200, body: { visibility: 'workspace' } });
    expect((await people.admin.delete('/api/pattern/catalog/unpublish')).body.errors).toMatchObject([
      { pointer: '/id' },
    ]);
    expect(await set('public')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/visibility' }] } });
    expect((await set('organization')).status).toBe(200);
  });

  it('is listed page by page, narrowed by class, type, technology and search, over both APIs', async () => {
    const { admin, outsider } = people;
    const mark = randomUUID().slice(0, 8);
    const entries = [
      ['one', { content_class: 'official', type: 'Security', compatibility: ['Cilium'] }],
      ['two', { content_class: 'project', type: 'Security', compatibility: [] }],
      ['three', { content_class: 'official', type: 'Scaling', compatibility: ['KEDA'] }],
    ] as const;
    for (const [name, data] of entries) {
      const { id } = await create(admin, `${mark} ${name}`);
      await done(publish(admin, id, data));
    }
    const names = async (query: string) => {
      const { status, body } = await outsider.get(`/api/pattern/catalog?search=${mark}&order=name&${query}`);
      expect({ status, body }).toMatchObject({ status: 200 });
      return body.patterns.map((each: Json) => (each.name as string).slice(9)) as string[];
    };
    expect(await names('')).toEqual(['one', 'three', 'two']);
    expect(await names('class=official')).toEqual(['one', 'three']);
    expect(await names('class=Official,project&type=security')).toEqual(['one', 'two']);
    expect(await names('technology=cilium&technology=Keda')).toEqual(['one', 'three']);
    expect(await names('technology=kubernetes')).toEqual(['one', 'three', 'two']);
    expect(await names('technology=nothing')).toEqual([]);
    expect(await names('pagesize=1&page=1')).toEqual(['three']);
    expect((await outsider.get('/api/pattern/catalog')).body).toMatchObject({ page: 0, page_size: 10 });
    expect((await outsider.get('/api/pattern/catalog?class=best')).body.errors).toMatchObject([{ pointer: 'class' }]);
    expect((await outsider.get('/api/pattern/catalog?order=secret')).status).toBe(400);
    const { body } = await outsider.graphql(
      `query ($selector: CatalogSelector) { fetchPatternCatalogContent(selector: $selector) { id name user_id pattern_file visibility catalog_data created_at updated_at } }`,
      {
        selector: {
          page: '0',
          pagesize: '10',
          search: mark,
          order: 'name',
          class: ['project'],
          patternType: ['Security'],
        },
      },
    );
    expect(body).toMatchObject({
      data: { fetchPatternCatalogContent: [{ name: `${mark} two`, visibility: 'public' }] },
    });
    expect(body.data.fetchPatternCatalogContent[0].pattern_file).toContain('blue');
    for (const selector of [
      { page: '0', pagesize: '10', search: '\0', order: '' },
      { page: '0', pagesize: '10', search: '', order: '', technology: ['\0'] },
    ]) {
      const refused = await outsider.graphql(
        `query ($selector: CatalogSelector) { fetchPatternCatalogContent(selector: $selector) { id } }`,
        { selector },
      );
      expect(refused.body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    }
    const all = await outsider.graphql(`{ fetchPatternCatalogContent { name } }`);
    expect(all.body.data.fetchPatternCatalogContent.length).toBeGreaterThan(2);
  });

  it('loses what is deleted or archived, and gets it back', async () => {
    const { admin, outsider } = people;
    const own = await WorkspaceScene.make(world, people);
    const { id } = await own.design();
    await done(publish(admin, id));
    const seen = async () => (await outsider.get(`/api/pattern/${id}`)).status;
    expect(await seen()).toBe(200);
    await done(admin.delete(`/api/pattern/${id}`));
    expect(await seen()).toBe(404);
    await done(admin.post(`/api/pattern/${id}/restore`));
    expect(await seen()).toBe(200);
    await done(admin.post(`${own.path}/archive`));
    expect(await seen()).toBe(404);
    await done(admin.post(`${own.path}/restore`));
    expect(await seen()).toBe(200);
  });

  it('is guarded by the database itself: no other version, and no other column, is there for strangers', async () => {
    const { admin, outsider } = people;
    const { id } = await create(admin, 'guarded');
    await done(publish(admin, id));
    await done(admin.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: configMap('red') } }));
    const as = (user: string, query: string) =>
      world.get(DataSource).transaction(async (manager) => {
        await manager.query(`SELECT set_config('armature.user', $1, true)`, [user]);
        return manager.query<{ n: number }[]>(query, [id]);
      });
    const asked = `SELECT v.number AS n FROM design_version v WHERE v.design_id = $1 ORDER BY 1`;
    expect(await as(outsider.id, asked)).toEqual([{ n: 1 }]);
    expect(await as(admin.id, asked)).toEqual([{ n: 1 }, { n: 2 }]);
    expect(await as(outsider.id, `SELECT 1 AS n FROM design d WHERE d.id = $1`)).toEqual([]);
    const changed = `WITH changed AS (UPDATE design_version SET message = 'theirs' WHERE design_id = $1 RETURNING number)
      SELECT number AS n FROM changed ORDER BY 1`;
    expect(await as(outsider.id, changed)).toEqual([]);
    expect(await as(admin.id, changed)).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

describe('a clone', () => {
  it('has a name that is cut between characters', async () => {
    const name = `a${'😀'.repeat(254)}`;
    const { id } = await create(people.editor, name);
    const clone = await people.viewer.post(`/api/pattern/clone/${id}`);
    expect(clone).toMatchObject({ status: 201, body: { name: `a${'😀'.repeat(247)} (copy)` } });
  });

  it('belongs to the user who made it, and shows its origin', async () => {
    const { viewer, admin, outsider } = people;
    const { id } = await create(admin, 'original');
    const clone = await viewer.post(`/api/pattern/clone/${id}`);
    expect(clone).toMatchObject({
      status: 201,
      body: {
        name: 'original (copy)',
        user_id: viewer.id,
        visibility: 'workspace',
        version: '0.0.1',
        version_number: 1,
        source_type: 'kubernetes',
        location: { type: 'clone', path: `/api/pattern/${id}` },
        cloned_from: { id, name: 'original', version: '0.0.1', version_number: 1 },
        clone_count: 0,
      },
    });
    expect(clone.body.id).not.toBe(id);
    expect(clone.body.workspace_id).not.toBe(scene.id);
    expect(clone.body.pattern_file).toContain(`id: "${clone.body.id}"`);
    expect((await viewer.get(`/api/pattern/download/${clone.body.id}?export=source`)).body).toBe(configMap('blue'));
    expect((await admin.get(`/api/pattern/${id}`)).body.clone_count).toBe(1);
    expect((await outsider.post(`/api/pattern/clone/${id}`)).status).toBe(404);
    expect((await viewer.post(`/api/pattern/clone/${id}`, { workspace_id: scene.id })).status).toBe(403);
    const named = await people.editor.post(`/api/pattern/clone/${id}`, { name: 'second', workspace_id: scene.id });
    expect(named).toMatchObject({ status: 201, body: { name: 'second', workspace_id: scene.id } });
    const events = await people.editor.get(`/api/events?orgID=${world.organization}&category=design&action=cloned`);
    expect(events.body.events).toEqual(
      expect.arrayContaining([expect.objectContaining({ acted_upon: named.body.id, user_id: people.editor.id })]),
    );
  });

  it('is made of what the catalog shows, in an organization of its own', async () => {
    const { admin, outsider } = people;
    const { id } = await create(admin, 'to be copied');
    await done(publish(admin, id));
    await done(admin.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: configMap('green') } }));
    const clone = await outsider.post(`/api/pattern/clone/${id}`);
    expect(clone).toMatchObject({
      status: 201,
      body: { user_id: outsider.id, visibility: 'workspace', cloned_from: { version_number: 1 } },
    });
    expect(clone.body.organization_id).not.toBe(world.organization);
    expect(clone.body.pattern_file).toContain('blue');
    expect((await admin.get(`/api/pattern/${clone.body.id}`)).status).toBe(404);
  });

  it('is admitted by the quota of its workspace', async () => {
    const own = await WorkspaceScene.make(world, people);
    const { id } = await own.design();
    await done(world.admin.put(`${own.path}/quotas`, { max_designs: 1 }));
    expect(await people.editor.post(`/api/pattern/clone/${id}`, { workspace_id: own.id })).toMatchObject({
      status: 409,
      body: { code: 'QUOTA_EXCEEDED' },
    });
  });
});

describe('designs in bulk', () => {
  const remove = (by: Person, ...ids: unknown[]) =>
    by.post('/api/patterns/delete', { patterns: ids.map((id) => ({ id })) });

  it('are deleted all at once, which is one event, and restored one by one', async () => {
    const { admin } = people;
    const ids = [
      (await create(admin, 'a')).id,
      (await create(admin, 'b')).id,
      (await create(admin, 'c')).id,
    ] as string[];
    const answer = await remove(admin, ...ids, ids[0]);
    expect(answer).toMatchObject({ status: 200, body: { total_count: 3 } });
    expect(answer.body.patterns.map((each: Json) => each.id).sort()).toEqual([...ids].sort());
    for (const id of ids) expect((await admin.get(`/api/pattern/${id}`)).status).toBe(404);
    const { body } = await admin.get(
      `/api/events?orgID=${world.organization}&category=design&action=deleted&acted_upon=${scene.id}`,
    );
    expect(body.events).toMatchObject([{ metadata: { count: 3 } }]);
    expect((await admin.post(`/api/pattern/${ids[0]}/restore`)).status).toBe(200);
  });

  it('are not deleted at all when one cannot be, and each is named', async () => {
    const { admin, editor } = people;
    const { id } = await create(admin, 'kept');
    const missing = randomUUID();
    expect(await remove(admin, id, missing)).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: '/patterns/1/id' }] },
    });
    expect((await remove(editor, id)).status).toBe(403);
    expect(await remove(admin, id, 'x', 7)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/patterns/1/id' }, { pointer: '/patterns/2/id' }] },
    });
    expect((await remove(admin)).status).toBe(400);
    expect((await admin.post('/api/patterns/delete', { patterns: id })).status).toBe(400);
    expect((await admin.get(`/api/pattern/${id}`)).status).toBe(200);
  });
});
