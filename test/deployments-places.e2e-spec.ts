import { randomUUID } from 'node:crypto';
import { type Cluster, sharedCluster, startCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import { type Answer, type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const map = (name: string, namespace: string, colour = 'blue'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${namespace}}\ndata: {colour: ${colour}}\n`;

requires('KUBEBUILDER_ASSETS', 'where a design is deployed', () => {
  let world: World;
  let people: People;
  let cluster: Cluster;
  let connectionId: string;
  let namespace: string;
  /** Has the environment `live`, of the tier production. */
  let shop: WorkspaceScene;
  let live: Json;

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start(), sharedCluster()]);
    people = await peopleOf(world);
    const { connected } = await done(
      world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig: cluster.kubeconfig }),
    );
    connectionId = connected[0].connection_id;
  }, 120_000);
  afterAll(() => world.stop());
  beforeEach(async () => {
    namespace = `p${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    shop = await WorkspaceScene.make(world, people);
    live = await place(shop, 'production');
  });

  const refused = (status: number, code: string) => ({ status, body: { code } });

  /** An environment of this cluster in a workspace. */
  async function place(scene: WorkspaceScene, tier: string): Promise<Json> {
    const environment = await scene.environment({ tier });
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connectionId}`));
    return environment;
  }
  const designOf = (scene: WorkspaceScene, content: string): Promise<Json> =>
    done(world.admin.upload('/api/pattern/import', 'app.yaml', content, { workspace_id: scene.id }));
  const change = (design: Json, content: string): Promise<Json> =>
    done(world.admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file: content } }));
  const deploy = (by: Person, design: Json, environment: Json, fields: object = {}): Promise<Answer> =>
    by.post('/api/pattern/deploy', { id: design.id, environment_id: environment.id, ...fields });
  const undeploy = (by: Person, design: Json): Promise<Answer> =>
    by.delete('/api/pattern/deploy', { body: { id: design.id } });
  const colour = (name = 'settings'): Promise<string> =>
    kubectl(cluster, 'get', 'cm', name, '-n', namespace, '--ignore-not-found', '-o', 'jsonpath={.data.colour}');
  const token = async (of: Person, ...scopes: string[]): Promise<Person> => {
    const made = await done(of.post('/api/identity/tokens', { name: scopes.join(), scopes }));
    return new Person(world.baseUrl, made.token as string);
  };

  describe('a design that is deployed on production', () => {
    let design: Json;
    let deployment: Json;
    beforeEach(async () => {
      design = await designOf(shop, map('settings', namespace));
      deployment = await done(deploy(people.admin, design, live));
    });

    it('is not taken down by an editor who moves it to where they are an admin', async () => {
      const { editor } = people;
      const own = await done(editor.post('/api/workspaces', { name: 'own', organization_id: world.organization }));
      for (const move of [
        () => editor.post(`/api/workspaces/${own.id}/designs/${design.id}`),
        () => editor.delete(`${shop.path}/designs/${design.id}`),
      ])
        expect(await move()).toMatchObject({
          ...refused(409, 'IN_USE'),
          body: {
            code: 'IN_USE',
            deployments: [{ design_id: design.id, environment_id: live.id, deployment_id: deployment.id }],
            remedy: expect.stringContaining('who may undeploy it'),
          },
        });
      expect(await undeploy(editor, design)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
      expect(await editor.post(`/api/deployments/${deployment.id}/rollback`)).toMatchObject(
        refused(403, 'APPROVAL_REQUIRED'),
      );
      expect(await editor.delete(`/api/pattern/${design.id}?undeploy=true`)).toMatchObject(refused(403, 'FORBIDDEN'));
      expect((await done(editor.get(`/api/pattern/${design.id}`))).workspace_id).toBe(shop.id);
      expect(await colour()).toBe('blue');
    }, 60_000);

    it('is deployed with a file that is sent along, which is saved as a version first', async () => {
      const staging = await place(shop, 'staging');
      const sent = await designOf(shop, map('sent', namespace));
      const body = { patternId: sent.id, patternFile: map('sent', namespace, 'red') };
      const query = `?environment_id=${staging.id}`;
      const call = (by: Person, fields: object = {}) => by.post(`/api/pattern/deploy${query}`, { ...body, ...fields });
      expect((await call(people.viewer)).status).toBe(403);
      expect(await call(people.editor)).toMatchObject({ status: 200, body: { design_version: 2 } });
      expect(await colour('sent')).toBe('red');
      expect(await call(people.editor)).toMatchObject({ status: 200, body: { design_version: 2 } });
      expect((await people.editor.get(`/api/pattern/${sent.id}`)).body).toMatchObject({ version_number: 2 });
      expect(await call(people.editor, { version: 1 })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/pattern_file' }], remedy: expect.stringContaining('PUT /api/pattern/{id}') },
      });
      expect(await people.editor.post('/api/pattern/deploy', { id: sent.id, dry_run: true })).toMatchObject({
        status: 400,
        body: {
          errors: [{ pointer: '/dry_run', detail: expect.stringContaining('POST /api/pattern/deploy/plan') }],
        },
      });
      const readOnly = await token(people.editor, 'read', 'deploy');
      expect((await call(readOnly, { patternFile: map('sent', namespace, 'green') })).status).toBe(403);
    }, 60_000);

    it('is one of a file without an id, which is imported first, and of which a refusal leaves none', async () => {
      const staging = await place(shop, 'staging');
      const body = { patternFile: map('file', namespace, 'red'), name: 'filed', workspace_id: shop.id };
      const call = (by: Person, environment: Json, fields: object = {}) =>
        by.post('/api/pattern/deploy?contexts=all&dryRun=false', {
          ...body,
          environment_id: environment.id,
          ...fields,
        });
      const filed = async (): Promise<Json[]> =>
        (await people.admin.get(`/api/pattern?workspace_id=${shop.id}&search=filed&pagesize=all`)).body.patterns;
      expect(await call(people.viewer, staging)).toMatchObject({ status: 403 });
      expect(await call(people.viewer, staging, { timeout: [] })).toMatchObject({ status: 403 });
      expect(await call(people.editor, live)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
      const rule = { name: 'none', expression: 'false', mode: 'enforce', kinds: ['ConfigMap'] };
      const policy = await done(people.admin.post(`${shop.path}/policies`, rule));
      expect(await call(people.editor, staging)).toMatchObject(refused(409, 'POLICY_VIOLATION'));
      await done(people.admin.delete(`${shop.path}/policies/${policy.id}`));
      expect(await filed()).toEqual([]);

      const first = await call(people.editor, staging);
      expect(first).toMatchObject({ status: 200, body: { status: 'succeeded', name: 'filed', design_version: 1 } });
      expect(await colour('file')).toBe('red');
      expect(await filed()).toMatchObject([{ id: first.body.design_id, user_id: people.editor.id }]);
      expect(await call(people.editor, staging)).toMatchObject({
        status: 200,
        body: { design_id: first.body.design_id },
      });
      const other = await call(people.admin, staging);
      expect(other).not.toMatchObject({ body: { design_id: first.body.design_id } });
      expect(await call(people.editor, staging, { id: first.body.design_id })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/workspace_id' }] },
      });
      const twin = { patternFile: map('twin', namespace), name: 'filed twin' };
      const twins = await Promise.all([1, 2, 3].map(() => call(people.editor, staging, twin)));
      expect(twins.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(new Set(twins.map(({ body }) => body.design_id as string)).size).toBe(1);
      const deployer = await token(people.editor, 'read', 'deploy');
      expect(await call(deployer, staging, { name: 'unwritten' })).toMatchObject(refused(403, 'SCOPE_MISSING'));
    }, 60_000);

    it('is moved by an admin only with its environment, and is then judged where it went', async () => {
      const { admin, editor } = people;
      const next = await WorkspaceScene.make(world, people);
      await done(world.admin.delete(`${next.path}/members/${editor.id}`));
      const move = (by = admin) => by.post(`${next.path}/designs/${design.id}`);
      expect(await move()).toMatchObject({
        ...refused(409, 'IN_USE'),
        body: { remedy: expect.stringContaining('Assign its environments') },
      });
      await done(world.admin.post(`${next.path}/environments/${live.id}`));
      expect(await move(await token(admin, 'write'))).toMatchObject(refused(409, 'IN_USE'));
      const { id } = await done(deploy(editor, design, live, { request_approval: true }));
      expect(await move()).toMatchObject(refused(409, 'IN_USE'));
      await done(editor.post(`/api/deployments/${id}/cancel`));
      await done(move());

      expect((await undeploy(editor, design)).status).toBe(404);
      await done(admin.delete(`${shop.path}/environments/${live.id}`));
      expect(await admin.delete(`${next.path}/environments/${live.id}`)).toMatchObject(refused(409, 'IN_USE'));
      await done(world.admin.delete(`${shop.path}/members/${admin.id}`));
      expect(await undeploy(admin, design)).toMatchObject({ status: 200, body: { workspace_id: next.id } });
      expect(await colour()).toBe('');
    }, 60_000);

    it('is undeployed wherever the record of its design lies, by who may do so where it is deployed', async () => {
      const own = await done(
        people.editor.post('/api/workspaces', { name: 'own', organization_id: world.organization }),
      );
      await world.sql('UPDATE design SET workspace_id = $2 WHERE id = $1', [design.id, own.id]);
      await done(world.admin.put(`/api/workspaces/${own.id}/members/${world.admin.id}`, { role: 'admin' }));
      await done(world.admin.post(`/api/workspaces/${own.id}/environments/${live.id}`));
      expect(await deploy(people.editor, design, live)).toMatchObject(refused(409, 'IN_USE'));
      expect(
        await people.editor.post('/api/pattern/deploy/plan', { id: design.id, environment_id: live.id }),
      ).toMatchObject(refused(409, 'IN_USE'));
      expect(await undeploy(people.editor, design)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
      expect(await people.editor.post(`/api/deployments/${deployment.id}/rollback`)).toMatchObject(
        refused(403, 'APPROVAL_REQUIRED'),
      );
      expect(await people.editor.delete(`/api/pattern/${design.id}?undeploy=true`)).toMatchObject(
        refused(403, 'APPROVAL_REQUIRED'),
      );
      expect(await colour()).toBe('blue');
      expect((await undeploy(world.admin, design)).status).toBe(200);
    }, 60_000);

    it('goes with ?undeploy=true from every environment that it is deployed in', async () => {
      const staging = await place(shop, 'staging');
      await kubectl(cluster, 'delete', 'cm', 'settings', '-n', namespace);
      await done(deploy(people.editor, design, staging));
      await done(people.admin.delete(`/api/pattern/${design.id}?undeploy=true`));
      expect(await colour()).toBe('');
      expect(await world.sql('SELECT FROM deployed_design WHERE design_id = $1', [design.id])).toEqual([]);
    }, 60_000);
  });

  describe('adopting', () => {
    it('takes nothing from a place where one may not undeploy, neither when planned nor when applied', async () => {
      await done(deploy(people.admin, await designOf(shop, map('settings', namespace)), live));
      const labels = () =>
        kubectl(cluster, 'get', 'cm', 'settings', '-n', namespace, '-o', 'jsonpath={.metadata.labels}');
      const before = await labels();

      const garage = await WorkspaceScene.make(world, people);
      const staging = await place(garage, 'staging');
      const thief = await designOf(garage, map('settings', namespace, 'red'));
      const wanted = { id: thief.id, environment_id: staging.id, adopt: true };
      const stranger = await world.person();
      await done(world.admin.put(`${garage.path}/members/${stranger.id}`, { role: 'admin' }));
      for (const by of [stranger, people.editor]) {
        const plan = await done(by.post('/api/pattern/deploy/plan', wanted));
        expect(plan).toMatchObject({ deployable: false, resources: [{ error: { reason: 'NOT_OWNED' } }] });
        expect(plan.resources[0].error.detail).toContain('undeploy it first');
        for (const fields of [
          wanted,
          { ...wanted, plan_id: plan.plan_id, adopt: undefined },
          { ...wanted, force: true, atomic: false },
        ])
          expect(await by.post('/api/pattern/deploy', fields)).toMatchObject({
            status: 422,
            body: { deployment: { resources: [{ error: { reason: 'NOT_OWNED' } }] } },
          });
      }
      expect([await labels(), await colour()]).toEqual([before, 'blue']);

      const { id } = await done(deploy(people.editor, thief, staging, { adopt: true, request_approval: true }));
      expect((await people.admin.post(`/api/deployments/${id}/approve`)).status).toBe(200);
      expect(await colour()).toBe('red');
      expect(await labels()).toContain(thief.id);
      await done(undeploy(people.editor, thief));
    }, 60_000);

    it('takes what no deployment of this installation has, and what belongs to a workspace of the same rights', async () => {
      const garage = await WorkspaceScene.make(world, people);
      const staging = await place(garage, 'staging');
      await done(deploy(people.editor, await designOf(garage, map('settings', namespace)), staging));
      await kubectl(cluster, 'create', 'configmap', 'theirs', '-n', namespace, '--from-literal=colour=grey');
      const both = `${map('settings', namespace, 'green')}---\n${map('theirs', namespace, 'green')}`;
      const heir = await designOf(garage, both);
      expect((await deploy(people.editor, heir, staging, { adopt: true, force: true })).status).toBe(200);
      expect([await colour(), await colour('theirs')]).toEqual(['green', 'green']);
    }, 60_000);

    it('takes nothing whose labels name a deployment that nobody knows', async () => {
      const garage = await WorkspaceScene.make(world, people);
      const staging = await place(garage, 'staging');
      const [{ id }] = (await world.sql<{ id: string }>('SELECT id FROM installation')) as [{ id: string }];
      const forged = { installation: id, design: randomUUID(), environment: staging.id as string };
      for (const [name, labels] of Object.entries({ unknown: forged, malformed: { ...forged, design: 'x' } })) {
        await kubectl(cluster, 'create', 'configmap', name, '-n', namespace);
        const written = Object.entries(labels).map(([part, value]) => `armature.dev/${part}=${value}`);
        await kubectl(cluster, 'label', 'configmap', name, '-n', namespace, ...written);
        const design = await designOf(garage, map(name, namespace));
        expect(await deploy(world.admin, design, staging, { adopt: true })).toMatchObject({
          status: 422,
          body: { deployment: { resources: [{ error: { reason: 'NOT_OWNED' } }] } },
        });
      }
    }, 60_000);
  });

  describe('a rollback', () => {
    let design: Json;
    let staging: Json;
    let first: Json;
    let second: Json;
    const rollback = (by: Person, of: Json, version?: number): Promise<Answer> =>
      by.post(`/api/deployments/${of.id}/rollback`, { version });

    beforeEach(async () => {
      staging = await place(shop, 'staging');
      design = await designOf(shop, map('settings', namespace));
      first = await done(deploy(people.editor, design, staging));
      await change(design, map('settings', namespace, 'red'));
      second = await done(deploy(people.editor, design, staging));
      await change(design, map('settings', namespace, 'never'));
      await done(people.organizationAdmin.put(`${shop.path}/quotas`, { max_deployments_per_day: 2 }));
    });

    it('goes to no version that was never deployed there, whatever the quota', async () => {
      const nothing = refused(409, 'NOTHING_TO_ROLL_BACK_TO');
      for (const by of [people.editor, people.admin])
        for (const deployment of [first, second]) expect(await rollback(by, deployment, 3)).toMatchObject(nothing);
      expect(await rollback(people.editor, second, 99)).toMatchObject(nothing);
      expect(await deploy(people.editor, design, staging)).toMatchObject(refused(409, 'QUOTA_EXCEEDED'));
      expect(await rollback(people.editor, first)).toMatchObject(nothing);
      expect(await rollback(people.editor, second, 2)).toMatchObject(nothing);
      expect(await colour()).toBe('red');
    }, 60_000);

    it('goes to what was deployed before it, with the quota used up, and brings back what was undeployed', async () => {
      expect(await rollback(people.editor, second)).toMatchObject({
        status: 200,
        body: { action: 'rollback', design_version: 1 },
      });
      expect(await colour()).toBe('blue');
      expect(await rollback(people.editor, second)).toMatchObject(refused(409, 'NOTHING_TO_ROLL_BACK_TO'));
      expect((await rollback(people.editor, second, 2)).status).toBe(200);
      const gone = await done(undeploy(people.editor, design));
      expect(await colour()).toBe('');
      expect(await rollback(people.editor, gone)).toMatchObject({ status: 200, body: { design_version: 2 } });
      expect(await colour()).toBe('red');
    }, 60_000);

    it('goes to no version that failed there, nor to one of another environment or of the workspace before', async () => {
      await done(people.organizationAdmin.put(`${shop.path}/quotas`, { max_deployments_per_day: null }));
      await change(design, map('Not_A_Name', namespace));
      const failed = await deploy(people.editor, design, staging);
      expect(failed.status).toBe(422);
      const nothing = refused(409, 'NOTHING_TO_ROLL_BACK_TO');
      expect(await rollback(people.editor, second, 4)).toMatchObject(nothing);
      const other = await place(shop, 'development');
      const elsewhere = await done(deploy(people.editor, design, other, { version: 3, adopt: true }));
      expect(await rollback(people.editor, elsewhere, 1)).toMatchObject(nothing);
      await done(people.editor.delete('/api/pattern/deploy', { body: { id: design.id, environment_id: other.id } }));
      await done(undeploy(people.editor, design));
      const next = await WorkspaceScene.make(world, people);
      await done(world.admin.post(`${next.path}/environments/${staging.id}`));
      await done(people.editor.post(`${next.path}/designs/${design.id}`));
      expect(await rollback(people.editor, second, 1)).toMatchObject(nothing);
    }, 60_000);

    it('on production needs an admin of the workspace, who waits for neither quota nor approval', async () => {
      await done(people.organizationAdmin.put(`${shop.path}/quotas`, { max_deployments_per_day: null }));
      await done(undeploy(people.editor, design));
      await done(deploy(people.admin, design, live, { version: 1 }));
      const latest = await done(deploy(people.admin, design, live, { version: 2 }));
      await done(people.organizationAdmin.put(`${shop.path}/quotas`, { max_deployments_per_day: 0 }));
      for (const version of [undefined, 1, 3])
        expect(await rollback(people.editor, latest, version)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
      expect(await rollback(people.viewer, latest)).toMatchObject(refused(403, 'FORBIDDEN'));
      expect((await rollback(people.outsider, latest)).status).toBe(404);
      expect(await rollback(people.admin, latest)).toMatchObject({ status: 200, body: { design_version: 1 } });
    }, 60_000);
  });

  describe('what a call names', () => {
    let design: Json;
    let staging: Json;
    beforeEach(async () => {
      staging = await place(shop, 'staging');
      design = await designOf(shop, map('settings', namespace));
    });
    const plan = (by: Person, of: Json, fields: object): Promise<Json> =>
      done(by.post('/api/pattern/deploy/plan', { id: of.id, ...fields }));

    it('is what its plan was made for, and a plan is of one design only', async () => {
      const { plan_id } = await plan(people.editor, design, { environment_id: live.id });
      for (const [pointer, fields] of [
        ['/environment_id', { environment_id: staging.id }],
        ['/connection_ids', { connection_ids: [randomUUID()] }],
        ['/version', { version: 7 }],
      ] as const)
        expect(await people.admin.post('/api/pattern/deploy', { id: design.id, plan_id, ...fields })).toMatchObject({
          status: 400,
          body: { errors: [{ pointer, detail: 'is not what the plan was made for' }] },
        });
      expect(await people.editor.post('/api/pattern/deploy', { id: design.id, plan_id })).toMatchObject(
        refused(403, 'APPROVAL_REQUIRED'),
      );
      const other = await designOf(shop, map('other', namespace));
      expect((await people.admin.post('/api/pattern/deploy', { id: other.id, plan_id })).status).toBe(404);
      expect((await people.outsider.post('/api/pattern/deploy', { id: design.id, plan_id })).status).toBe(404);
      expect((await people.admin.post('/api/pattern/deploy', { id: design.id, plan_id })).status).toBe(200);
    }, 60_000);

    it('is a cluster of the environment, and an environment of the workspace', async () => {
      const elsewhere = await shop.cluster(await shop.looseEnvironment(), 'https://127.0.0.1:9');
      const through = { connection_ids: [elsewhere.id] };
      expect((await deploy(people.admin, design, staging, through)).status).toBe(404);
      expect(await deploy(people.organizationAdmin, design, staging, through)).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/connection_ids' }] },
      });
      const loose = await shop.looseEnvironment();
      await done(world.admin.post(`/api/environments/${loose.id}/connections/${connectionId}`));
      expect((await deploy(people.editor, design, loose)).status).toBe(404);
      expect((await deploy(people.organizationAdmin, design, loose)).status).toBe(400);
    }, 60_000);

    it('is what chooses among several destinations', async () => {
      const unnamed = () => people.admin.post('/api/pattern/deploy/plan', { id: design.id });
      expect(await unnamed()).toMatchObject({ status: 400, body: { errors: [{ pointer: '/environment_id' }] } });
      await done(world.admin.delete(`${shop.path}/environments/${staging.id}`));
      const other = await shop.cluster(live, 'https://127.0.0.1:9');
      const { status, body } = await unnamed();
      expect({ status, errors: body.errors }).toMatchObject({ status: 400, errors: [{ pointer: '/connection_ids' }] });
      const ids = body.choices.map((choice: Json) => choice.connection_id);
      expect(new Set(ids)).toEqual(new Set([connectionId, other.id]));
      await plan(people.admin, design, { connection_ids: [connectionId] });
    }, 60_000);

    it('is several clusters by their connections alone, and none of them by an empty list', async () => {
      const second = await startCluster({ bare: true });
      const { connected } = await done(
        world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig: second.kubeconfig }),
      );
      const connection_ids = [connectionId, connected[0].connection_id as string];
      await done(world.admin.post(`/api/environments/${staging.id}/connections/${connection_ids[1]}`));
      await done(world.admin.delete(`${shop.path}/environments/${live.id}`));
      await kubectl(second, 'create', 'namespace', namespace);
      for (const act of ['post', 'delete'] as const) {
        const ask = (ids: string[]) => {
          const body = { id: design.id, connection_ids: ids };
          return act === 'post'
            ? world.admin.post('/api/pattern/deploy', body)
            : world.admin.delete('/api/pattern/deploy', { body });
        };
        expect(await ask([])).toMatchObject({ status: 400, body: { errors: [{ pointer: '/connection_ids' }] } });
        const { connections } = await done(ask(connection_ids));
        expect(new Set(connections)).toEqual(new Set(connection_ids));
      }
      await second.stop();
    }, 120_000);

    it('is no design of another organization, published or not', async () => {
      const { outsider } = people;
      for (const path of [`/api/pattern/${design.id}`, `/api/pattern/download/${design.id}`])
        expect({ path, status: (await outsider.get(path)).status }).toEqual({ path, status: 404 });
      expect((await outsider.post(`/api/pattern/clone/${design.id}`, {})).status).toBe(404);
      await done(
        people.admin.post('/api/pattern/catalog/publish', {
          id: design.id,
          catalog_data: { content_class: 'community', type: 'Deployment' },
        }),
      );
      await change(design, map('settings', namespace, 'secret'));
      for (const fields of [{}, { version: 1 }, { version: 2 }, { values: {} }])
        for (const path of ['/api/pattern/deploy', '/api/pattern/deploy/plan'])
          expect(await outsider.post(path, { id: design.id, environment_id: staging.id, ...fields })).toMatchObject(
            refused(403, 'FORBIDDEN'),
          );
      expect(await deploy(outsider, design, staging, { request_approval: true })).toMatchObject(
        refused(403, 'FORBIDDEN'),
      );
      expect(await undeploy(outsider, design)).toMatchObject(refused(403, 'FORBIDDEN'));
      expect((await outsider.get(`/api/pattern/${design.id}/versions/2`)).status).toBe(404);
    }, 60_000);

    it('is done once for one key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { id: design.id, environment_id: staging.id };
      const answers = [];
      for (let i = 0; i < 2; i++) answers.push(await people.editor.post('/api/pattern/deploy', body, { headers }));
      expect(answers.map(({ status, body: { id } }) => [status, id])).toEqual(
        Array(2).fill([200, answers[0]?.body.id]),
      );
      const { total_count } = await done(people.editor.get(`/api/pattern/${design.id}/deployments`));
      expect(total_count).toBe(1);
    }, 60_000);

    it('is within the scopes of the token', async () => {
      const pipeline = await token(people.admin, 'deploy');
      const writer = await token(people.admin, 'write');
      const deployed = await done(deploy(pipeline, design, staging));
      for (const call of [
        () => deploy(writer, design, staging),
        () => undeploy(writer, design),
        () => writer.post(`/api/deployments/${deployed.id}/rollback`, {}),
        () => writer.post(`/api/deployments/${deployed.id}/cancel`),
        () => pipeline.put('/api/pattern/yaml', { id: design.id, name: 'x' }),
        () => pipeline.post(`${shop.path}/designs/${design.id}`),
        () => pipeline.delete(`/api/pattern/${design.id}?undeploy=true`),
        () => writer.delete(`/api/pattern/${design.id}?undeploy=true`),
        () => pipeline.post(`/api/deployments/${deployed.id}/approve`),
        () => pipeline.delete(`${shop.path}/environments/${staging.id}`),
      ])
        expect({ call: call.toString(), ...(await call()) }).toMatchObject(refused(403, 'SCOPE_MISSING'));
      expect((await undeploy(pipeline, design)).status).toBe(200);
    }, 60_000);
  });
});
