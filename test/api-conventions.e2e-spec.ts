import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { RouteTable } from '../src/core/rest/route-table.js';
import { LOGGER } from '../src/core/telemetry/logger.js';
import type { Answer, Json, Person } from './support/person.js';
import { PASSWORD } from './support/settings.js';
import { done, NEW_DESIGN, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
/** A user who administers two organizations, so that each call has to name one. */
let both: Person & { organization: string };
beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
  both = await world.outsider();
  const users = `/api/identity/orgs/${world.organization}/users`;
  await done(world.admin.post(users, { email: both.email, role: 'admin' }));
}, 120_000);
afterAll(() => world.stop());

describe('orgID in the query', () => {
  const record = () => ({ name: `record ${randomUUID()}` });
  const CREATIONS: [string, () => object][] = [
    ['/api/environments', record],
    ['/api/workspaces', record],
    ['/api/integrations/connections', () => ({ ...record(), kind: 'custom' })],
    ['/api/integrations/credentials', () => ({ ...record(), type: 'custom', secret: { a: 'b' } })],
    ['/api/pattern', () => NEW_DESIGN],
    ['/api/pattern/import', () => ({ file: Buffer.from(NEW_DESIGN.pattern_data.pattern_file).toString('base64') })],
  ];

  it.each(CREATIONS)('chooses the organization of what POST %s makes', async (path, body) => {
    for (const spelling of ['orgID', 'orgId', 'org_id', 'organization_id'])
      for (const organization of [both.organization, world.organization]) {
        const made = await both.post(`${path}?${spelling}=${organization}`, body());
        expect({ path, status: made.status }).toEqual({ path, status: 201 });
        const { organization_id = await organizationOf(made.body.workspace_id as string) } = made.body;
        expect(organization_id).toBe(organization);
      }
  });

  const organizationOf = async (workspace: string): Promise<string> =>
    (await done(both.get(`/api/workspaces/${workspace}`))).organization_id;

  it('is refused when it contradicts the body, is no id, or is of others', async () => {
    const path = '/api/environments';
    const other = { ...record(), organization_id: world.organization };
    expect(await both.post(`${path}?orgID=${both.organization}`, other)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'orgID', detail: 'is another organization than organization_id of the body' }] },
    });
    expect((await both.post(`${path}?orgID=${world.organization.toUpperCase()}`, other)).status).toBe(201);
    expect(await both.post(`${path}?orgID=mine`, record())).toMatchObject({ status: 400 });
    expect((await people.outsider.post(`${path}?orgID=${world.organization}`, record())).status).toBe(404);
  });

  it('must be the organization of the workspace that is named beside it', async () => {
    const path = `/api/pattern?orgID=${both.organization}`;
    expect((await both.post(path, { ...NEW_DESIGN, workspace_id: scene.id })).status).toBe(404);
  });
});

describe('alternatives', () => {
  const URL = 'http://no-such-name.invalid/file';
  const FILE = Buffer.from('kind: ConfigMap').toString('base64');
  const MODULE = Buffer.from([0, 97, 115, 109, 1, 0, 0, 0]).toString('base64');
  const KUBECONFIG = 'apiVersion: v1\nkind: Config\n';
  const OTHER = randomUUID();
  let own: string;
  const deployed = () => ({ id: own, pattern_id: randomUUID() });
  const form = (fields: Json, field = 'file', content = 'kind: ConfigMap'): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries<string>(fields)) form.set(name, value);
    form.append(field, new Blob([content]), 'file.yaml');
    return form;
  };
  let filter: string;
  beforeAll(async () => {
    own = (await done(world.admin.post('/api/pattern', NEW_DESIGN))).id;
    const module = { name: 'filter', filter_data: { filter_file: MODULE } };
    filter = (await done(world.admin.post('/api/filter', module))).id;
  });

  it.each<[string, string, () => unknown, string[]]>([
    ['POST', '/api/pattern/import', () => ({ file: FILE, url: URL }), ['/file', '/url']],
    ['POST', '/api/pattern/import', () => form({ url: URL }), ['/file', '/url']],
    ['POST', '/api/pattern/import', () => form({ file: FILE }), ['/file']],
    ['PUT', '/api/pattern/{design}', () => ({ file: FILE, url: URL }), ['/file', '/url']],
    ['PUT', '/api/pattern/{design}', () => ({ ...NEW_DESIGN, file: FILE }), ['/pattern_data']],
    [
      'POST',
      '/api/pattern',
      () => ({ name: 'both', pattern_data: { design_file: {}, pattern_file: 'kind: ConfigMap' } }),
      ['/pattern_data/design_file', '/pattern_data/pattern_file'],
    ],
    ['POST', '/api/meshmodels/register', () => ({ file: FILE, url: URL }), ['/file', '/url']],
    ['POST', '/api/meshmodels/register?async=true', () => form({ url: URL }), ['/file', '/url']],
    [
      'POST',
      '/api/meshmodels/generate',
      () => ({ source: URL, config: { connection_id: OTHER } }),
      ['/source', '/config/connection_id'],
    ],
    [
      'POST',
      '/api/filter',
      () => ({ filter_data: { filter_file: MODULE }, url: URL }),
      ['/filter_data/filter_file', '/url'],
    ],
    ['PUT', '/api/filter/{filter}', () => form({ url: URL }), ['/file', '/url']],
    [
      'POST',
      '/api/system/kubernetes',
      () => form({ kubeconfig: KUBECONFIG }, 'k8sfile', KUBECONFIG),
      ['/k8sfile', '/kubeconfig'],
    ],
    ['POST', '/api/pattern/deploy/plan', deployed, ['/id', '/pattern_id']],
    ['POST', '/api/pattern/deploy', deployed, ['/id', '/pattern_id']],
    ['DELETE', '/api/pattern/deploy', deployed, ['/id', '/pattern_id']],
    ['DELETE', `/api/pattern/deploy?id=${OTHER}`, () => ({ id: own }), ['/id', 'id']],
    [
      'DELETE',
      `/api/pattern/deploy?environment_id=${randomUUID()}`,
      () => ({ id: own, environment_id: OTHER }),
      ['/environment_id', 'environment_id'],
    ],
    [
      'DELETE',
      `/api/pattern/deploy?contexts=${randomUUID()}`,
      () => ({ id: own, connection_ids: [OTHER] }),
      ['/connection_ids', 'contexts'],
    ],
    ['PUT', '/api/notifications', () => ({ ids: [OTHER], all: true }), ['/ids']],
    [
      'POST',
      '/api/integrations/connections',
      () => ({ name: 'c', kind: 'custom', organization_id: world.organization, credential_id: OTHER, credential_secret: { a: 'b' } }), // prettier-ignore
      ['/credential_secret'],
    ],
  ])('are refused by %s %s when they are sent together, each by its name', async (method, path, body, pointers) => {
    const at = path.replace('{design}', own).replace('{filter}', filter);
    const { status, body: problem } = await world.admin.call(method, at, { body: body() });
    expect({ status, pointers: problem.errors?.map(({ pointer }: Json) => pointer) }).toEqual({
      status: 400,
      pointers,
    });
  });

  it('may be empty, or the same in another spelling', async () => {
    const sent = form({ url: '' }, 'file', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: map }\n');
    const { id } = await done(world.admin.post('/api/pattern/import', sent));
    const wanted = { id, pattern_id: id.toUpperCase() };
    const undeployed = await world.admin.delete(`/api/pattern/deploy?id=${id}`, { body: wanted });
    expect(undeployed.body.errors?.map(({ pointer }: Json) => pointer) ?? []).not.toContain('/id');
  });
});

describe('a list', () => {
  it('names every parameter that is wrong at once', async () => {
    const wrong = 'page=-1&pagesize=0&order=evil&filter=%7B';
    for (const path of [
      `/api/environments?orgID=${world.organization}&`,
      '/api/pattern?',
      '/api/meshmodels/models?',
      '/api/identity/orgs?',
    ]) {
      const { status, body } = await world.admin.get(`${path}${wrong}`);
      expect({ path, status }).toEqual({ path, status: 400 });
      const pointers = (body.errors as Json[]).map(({ pointer }) => pointer);
      expect({ path, pointers }).toEqual({ path, pointers: ['page', 'pagesize', 'order', 'filter'] });
      expect(body.detail).toContain('; order must be one of');
    }
  });

  const member = async () => {
    const person = await world.person();
    await done(world.admin.put(`${scene.path}/members/${person.id}`, { role: 'viewer' }));
  };
  const team = async () => {
    const { id } = await scene.team(people.member);
    await done(world.admin.put(`${scene.path}/teams/${id}`, { role: 'viewer' }));
  };
  let credential: string;
  const connection = async () => {
    credential ??= (
      await done(
        world.admin.post('/api/integrations/credentials', {
          name: 'shared',
          type: 'custom',
          secret: { a: 'b' },
          organization_id: world.organization,
        }),
      )
    ).id;
    await done(
      world.admin.post('/api/integrations/connections', {
        name: `connection ${randomUUID()}`,
        kind: 'custom',
        credential_id: credential,
        organization_id: world.organization,
      }),
    );
  };
  const LISTS: [string, string, () => string, (() => Promise<void>)?][] = [
    ['members', 'email', () => `${scene.path}/members`, member],
    ['teams', 'name', () => `${scene.path}/teams`, team],
    ['connections', 'name', () => `/api/integrations/credentials/${credential}/connections`, connection],
    ['kinds', 'kind', () => '/api/integrations/connections/kinds'],
    ['categories', 'name', () => '/api/meshmodels/categories'],
    ['registrants', 'kind', () => '/api/meshmodels/registrants'],
  ];
  beforeAll(async () => {
    const admin = { name: `widgets ${randomUUID()}`, version: '1.0.0', components: [] as object[] };
    for (const category of ['One', 'Two', 'Three'])
      await done(
        world.admin.post('/api/meshmodels/register', {
          file: Buffer.from(
            JSON.stringify({
              schemaVersion: 'models.meshery.io/v1beta1',
              name: `model-${category.toLowerCase()}`,
              displayName: category,
              version: 'v1.0.0',
              category: { name: `Category ${category}` },
              registrant: { hostname: `${category.toLowerCase()}.example.org`, kind: 'github' },
              model: { version: admin.version },
            }),
          ).toString('base64'),
          file_name: 'model.json',
        }),
      );
  });

  it.each(LISTS)('of %s has pages, an order, a search and a cursor', async (plural, column, path, add) => {
    for (let count = 0; add && count < 3; count++) await add();
    const list = async (query: string): Promise<Json> => {
      const { status, body } = await world.admin.get(`${path()}?${query}`);
      expect({ query, status, detail: body.detail }).toEqual({ query, status: 200, detail: undefined });
      return body;
    };
    const whole = await list('pagesize=500');
    const all = whole[plural] as Json[];
    expect(whole).toMatchObject({ page: 0, page_size: 500, total_count: all.length });
    expect(all.length).toBeGreaterThanOrEqual(3);
    expect(await list('pagesize=2&page=1')).toMatchObject({ page: 1, page_size: 2, [plural]: all.slice(2, 4) });
    const order = `order=${column} desc`;
    const walked: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const step: Json = await list(`${order}&pagesize=2&cursor=${encodeURIComponent(cursor)}`);
      walked.push(...(step[plural] as Json[]));
      expect(step.total_count).toBe(all.length);
      cursor = step.next_cursor as string | null;
    }
    expect(walked).toEqual((await list(`${order}&pagesize=500`))[plural]);
    expect(new Set(walked.map((each) => JSON.stringify(each))).size).toBe(all.length);
    expect(await list(`${order}&pagesize=all`)).toMatchObject({ page: 0, page_size: all.length, [plural]: walked });
    expect(await list(`${order}&pagesize=5000`)).toMatchObject({ page: 0, page_size: 500, [plural]: walked });
    const [first] = all;
    const found = await list(`search=${encodeURIComponent(String(first[column]).toUpperCase())}`);
    expect(found[plural]).toContainEqual(first);
    for (const wrong of [
      'pagesize=0',
      'pagesize=-5',
      'pagesize=all&page=1',
      'pagesize=all&cursor=',
      'page=-1',
      'order=secret',
      'cursor=&page=1',
      'cursor=x',
    ])
      expect({ wrong, status: (await world.admin.get(`${path()}?${wrong}`)).status }).toEqual({ wrong, status: 400 });
  });
});

describe('a word that is not known', () => {
  const refused = { status: 400, body: { code: 'VALIDATION_FAILED', remedy: expect.any(String) } };
  it.each([
    '/api/pattern?source_type=docker',
    '/api/pattern?populate=pattern_flie',
    '/api/pattern/catalog?populate=filter_file',
    '/api/filter?populate=pattern_file',
    '/api/events?category=enviroment',
    '/api/events?action=exploded',
    '/api/events?status=seen',
    '/api/events/stream?category=enviroment',
    '/api/meshmodels/components?trim=yes',
    '/api/environments?filter={"status":"gone"}',
    '/api/environments?filter={"tier":"test"}',
    '/api/integrations/connections?filter={"status":"up"}',
    '/api/deployments?filter={"action":"dance"}',
  ])('is refused: %s', async (path) => {
    const [route = '', query] = path.split('?');
    const url = `${route}?orgID=${world.organization}&${query?.replace(/\{.*\}/, encodeURIComponent)}`;
    expect(await world.admin.get(url)).toMatchObject(refused);
  });

  it('is refused before anything is done', async () => {
    const design = await scene.design();
    expect(await world.admin.delete(`/api/pattern/${design.id}?undeploy=yes`)).toMatchObject(refused);
    expect((await world.admin.get(`/api/pattern/${design.id}`)).status).toBe(200);
    expect(await world.admin.post('/api/pattern/import?async=1', { file: 'eA==' })).toMatchObject(refused);
  });

  it('is refused in GraphQL, and nothing is no word', async () => {
    const category = 'subscription { subscribeEvents(category: ["enviroment"]) { id } }';
    const client = world.admin.socket();
    const first = await client.iterate({ query: category }).next();
    await client.dispose();
    expect(first.value).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    const models = await world.admin.graphql('{ models(category: "nothing") { total_count } }');
    expect(models.body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    const catalog = `query ($class: [String]) { fetchPatternCatalogContent(selector: { page: "0", pagesize: "5", search: "", order: "", class: $class }) { id } }`;
    expect((await world.admin.graphql(catalog, { class: [null, 'community'] })).body.errors).toBeUndefined();
    expect((await world.admin.graphql(catalog, { class: ['best'] })).body.errors).toHaveLength(1);
  });
});

describe('GraphQL', () => {
  it.each(['subscribeEvents { id }', 'subscribeMeshModelSummary(selector: { type: "all" }) { components { name } }'])(
    'answers a subscription over HTTP as the fault of its caller: %s',
    async (field) => {
      expect(await world.admin.graphql(`subscription { ${field} }`)).toMatchObject({
        status: 400,
        body: { data: null, errors: [{ extensions: { code: 'BAD_REQUEST', remedy: expect.any(String) } }] },
      });
    },
  );

  it('has enums for statuses and actions, one spelling of each field but where clients know two', async () => {
    const { body } = await world.admin.graphql(
      '{ __schema { types { name kind fields { name type { kind name ofType { kind name } } } } } }',
    );
    expect(body.errors).toBeUndefined();
    const types = (body.data.__schema.types as Json[]).filter(({ kind, name }) => kind === 'OBJECT' && name[0] !== '_');
    const words: string[] = [];
    const twice: string[] = [];
    for (const { name: type, fields } of types)
      for (const { name, type: of } of fields as Json[]) {
        const kind = (of.ofType ?? of).kind as string;
        if (/^(status|action|tier)$/.test(name as string) && kind !== 'ENUM') words.push(`${type}.${name}`);
        const other = (name as string).replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
        if (other !== name && (fields as Json[]).some((each) => each.name === other)) twice.push(`${type}.${name}`);
      }
    // What happened to records, and whence models come, are open vocabularies; others are what clusters say.
    const open = [
      'Container.status',
      'Event.action',
      'Notification.action',
      'Registrant.status',
      'TelemetryComp.status',
    ];
    expect(words.sort()).toEqual(open);
    const both = ['actedUpon', 'createdAt', 'operationID', 'userID'];
    expect(twice.sort()).toEqual(['Event', 'Notification'].flatMap((type) => both.map((name) => `${type}.${name}`)));
  });

  it('shows a status with a space as a name', async () => {
    const { id } = await done(
      world.admin.post('/api/integrations/connections', {
        name: 'lost',
        kind: 'custom',
        organization_id: world.organization,
      }),
    );
    await done(world.admin.put(`/api/integrations/connections/${id}`, { status: 'not found' }));
    const { body } = await world.admin.graphql(`{ connection(id: "${id}") { status } }`);
    expect(body).toEqual({ data: { connection: { status: 'not_found' } } });
  });

  it('walks lists by cursor', async () => {
    const names = ['a', 'b', 'c'].map((letter) => `walked ${letter}`);
    for (const name of names)
      await done(world.admin.post('/api/environments', { name, organization_id: world.organization }));
    const query = `query ($cursor: String) { environments(orgID: "${world.organization}", search: "walked", order: "name", pagesize: 2, cursor: $cursor) { total_count next_cursor environments { name status tier } } }`;
    const first = (await world.admin.graphql(query, { cursor: '' })).body.data.environments;
    const rest = (await world.admin.graphql(query, { cursor: first.next_cursor })).body.data.environments;
    expect([...first.environments, ...rest.environments].map(({ name }) => name)).toEqual(names);
    expect([first.total_count, rest.next_cursor]).toEqual([3, null]);
    const page = (await world.admin.graphql(query, {})).body.data.environments;
    expect(page.next_cursor).toBeNull();
    const patterns = `query ($cursor: String) { fetchPatterns(selector: { page: "0", pageSize: "1", cursor: $cursor }) { next_cursor patterns { id } } }`;
    await scene.design();
    await scene.design();
    const one = (await world.admin.graphql(patterns, { cursor: '' })).body.data.fetchPatterns;
    const two = (await world.admin.graphql(patterns, { cursor: one.next_cursor })).body.data.fetchPatterns;
    expect(two.patterns[0].id).not.toBe(one.patterns[0].id);
  });

  it('has its schema to download', async () => {
    const { status, body, headers } = await world.stranger.get('/api/docs/schema.graphql');
    expect({ status, type: headers.get('content-type') }).toEqual({
      status: 200,
      type: 'application/graphql; charset=utf-8',
    });
    expect(body).toMatch(/^type Query \{/m);
    expect(headers.get('content-disposition')).toBe('attachment; filename="schema.graphql"');
  });
});

describe('an error', () => {
  it('of a name that is taken is grammatical', async () => {
    const name = `organization ${randomUUID()}`;
    await done(world.admin.post('/api/identity/orgs', { name }));
    expect((await world.admin.post('/api/identity/orgs', { name })).body).toMatchObject({
      code: 'NAME_TAKEN',
      detail: 'there is an organization of this name already',
    });
  });

  it('of one connection that uses a credential says so in the singular', async () => {
    const { id } = await done(
      world.admin.post('/api/integrations/credentials', {
        name: 'used once',
        type: 'custom',
        secret: { a: 'b' },
        organization_id: world.organization,
      }),
    );
    const connection = { name: 'user', kind: 'custom', credential_id: id, organization_id: world.organization };
    await done(world.admin.post('/api/integrations/connections', connection));
    expect((await world.admin.delete(`/api/integrations/credentials/${id}`)).body).toMatchObject({
      detail: 'the credential is used by 1 connection',
    });
  });

  it('of a path that has other methods is 405, whatever else the path could be', async () => {
    for (const [method, path] of [
      ['GET', '/api/pattern/import'],
      ['GET', '/api/pattern/deploy'],
      ['PUT', '/api/pattern/catalog/publish'],
    ] as const) {
      const answer = await world.admin.call(method, path);
      expect({ path, status: answer.status }).toEqual({ path, status: 405 });
      expect(answer.headers.get('allow')).not.toBeNull();
    }
  });

  it('of a ping through a proxy says what the proxy did', async () => {
    const refuse = createServer().on('connect', (_, socket) => socket.end('HTTP/1.1 407 Proxy\r\n\r\n'));
    await new Promise<void>((ready) => refuse.listen(0, '127.0.0.1', ready));
    const ping = async (proxy: string): Promise<string> => {
      const { id } = await done(
        world.admin.post('/api/integrations/connections', {
          name: 'behind a proxy',
          kind: 'kubernetes',
          metadata: { server: 'https://cluster.example.org', proxy },
          credential_secret: { token: 'x' },
          organization_id: world.organization,
        }),
      );
      const { status, body } = await world.admin.post(`/api/integrations/connections/${id}/ping`);
      expect({ status, remedy: typeof body.remedy }).toEqual({ status: 502, remedy: 'string' });
      return body.detail as string;
    };
    expect(await ping(`http://127.0.0.1:${portOf(refuse)}`)).toContain(
      'the proxy answered 407 Proxy Authentication Required',
    );
    const port = portOf(refuse);
    await new Promise((closed) => refuse.close(closed));
    expect(await ping(`http://127.0.0.1:${port}`)).toContain('the proxy cannot be reached: the connection was refused');
  }, 30_000);

  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
});

describe('what a request has beyond its route', () => {
  const warningsOf = async (path: string): Promise<string | null> =>
    (await world.admin.get(path)).headers.get('warning');

  it('in the query is ignored, and named with the nearest known name', async () => {
    expect(await warningsOf('/api/environments?pagesise=1&_=2&orgID=&PAGE_SIZE=3')).toBe(
      '299 - "the query parameter pagesise is unknown and ignored; did you mean pagesize?", ' +
        '299 - "the query parameter _ is unknown and ignored"',
    );
    const known = `/api/environments?page=0&pageSize=1&search=a&order=name&filter={}&orgId=${world.organization}`;
    expect(await warningsOf(known)).toBeNull();
    const { body, headers } = await world.admin.get('/api/environments?pagesise=1');
    expect({ size: body.page_size, type: headers.get('content-type') }).toMatchObject({ size: 20 });
  });

  it('in the query is named on every route, also in characters that no header has', async () => {
    expect(await warningsOf('/api/identity/users/profile?x%22%0d%0aSet-Cookie:%20a=b')).toBe(
      '299 - "the query parameter x%22%0D%0ASet-Cookie%3A%20a is unknown and ignored"',
    );
    const { headers } = await world.admin.post('/api/meshmodels/register?asynch=true&register=false', {});
    expect(headers.get('warning')).toBe(
      '299 - "the query parameter asynch is unknown and ignored; did you mean async?"',
    );
    expect(await warningsOf(`/api/environments?${Array.from({ length: 40 }, (_, n) => `x${n}=1`).join('&')}`)).toMatch(
      /^(299 - "the query parameter x\d is unknown and ignored"(, )?){10}$/,
    );
  });

  const profile = () => ({ name: 'p', endpoints: ['https://shop.example.com/'] });
  it.each<[string, () => object, string, string?]>([
    ['/api/environments', () => ({ name: 'e', organization_id: world.organization, desciption: 'x' }), '/desciption', 'description'],
    ['/api/pattern', () => ({ name: 'd', pattern_data: { patern_file: 'kind: ConfigMap' } }), '/pattern_data/patern_file', 'pattern_file'],
    ['/api/patterns/delete', () => ({ patterns: [{ id: 'x' }, { id: 'y', idd: 'x' }] }), '/patterns/1/idd', 'id'],
    ['/api/performance/profiles', () => ({ ...profile(), budget: { p98_ms: 1 } }), '/budget/p98_ms', 'p90_ms'],
    ['/api/performance/profiles', () => ({ ...profile(), schedule: { cron: '0 0 * * *', timezon: 'UTC' } }), '/schedule/timezon', 'timezone'],
    ['/api/filter', () => ({ filter_data: { file: 'x' } }), '/filter_data/file'],
    ['/api/meshmodels/generate', () => ({ source: 'x', config: { modle: 'm' } }), '/config/modle', 'model'],
    ['/api/meshmodels/relationships/evaluate', () => ({ design: NEW_DESIGN, options: { 'apply~/patchs': true } }), '/options/apply~0~1patchs', 'applyPatches'],
  ])('in the body of POST %s is 400 with its pointer, below the top level too', async (path, body, pointer, close) => {
    const { status, body: problem } = await world.admin.post(path, body());
    expect({ status, errors: problem.errors }).toEqual({
      status: 400,
      errors: [
        {
          pointer,
          detail: 'is not a field of this request',
          ...(close === undefined ? {} : { remedy: `Did you mean "${close}"?` }),
        },
      ],
    });
  }); // prettier-ignore

  it('is reported together with the other faults of the request, those of members included', async () => {
    const { admin } = world;
    const config = { kind: 'chart', model: '', register: 'no', modle: 'm' };
    for (const path of ['/api/meshmodels/generate', '/api/meshmodels/generate?async=true']) {
      const { status, body } = await admin.post(path, { source: 7, config });
      const pointers = body.errors.map(({ pointer }: Json) => pointer);
      expect({ status, pointers: pointers.sort() }).toEqual({
        status: 400,
        pointers: ['/config/kind', '/config/model', '/config/modle', '/config/register', '/source'],
      });
    }
  });

  it('is counted beyond a hundred faults', async () => {
    const patterns = [Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`x${n}`, 1]))];
    const { status, body } = await world.admin.post('/api/patterns/delete', { patterns });
    expect({ status, listed: body.errors.length, last: body.errors.at(-1).detail }).toEqual({
      status: 400,
      listed: 100,
      last: '4901 more faults are not listed',
    });
  });

  it('is known in any spelling, below the top level too', async () => {
    const { budget } = await done(
      world.admin.post('/api/performance/profiles', { ...profile(), budget: { p99Ms: 5 } }),
    );
    expect(budget).toEqual({ p99_ms: 5 });
    const twice = { ...profile(), budget: { p99Ms: 5, p99_ms: 6 } };
    expect(await world.admin.post('/api/performance/profiles', twice)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/budget/p99_ms', detail: 'is given more than once, in different spellings' }] },
    });
  });
});

describe('what is required', () => {
  it.each<[string, () => object, string[]]>([
    ['/api/integrations/credentials', () => ({ name: 'c', type: '', secret: {} }), ['/type', '/secret']],
    ['/api/integrations/connections', () => ({ name: 'c', kind: 'custom', credential_secret: {} }), ['/credential_secret']],
    ['/api/workspaces/{workspace}/policies', () => ({ name: 'p', expression: ' ', mode: 'warn' }), ['/expression']],
    ['/api/workspaces/{workspace}/webhooks', () => ({ url: '', events: ['*'] }), ['/url']],
    ['/api/patterns/delete', () => ({ patterns: [] }), ['/patterns']],
    ['/api/meshmodels/validate', () => ({ component: {} }), ['/component']],
  ])('of POST %s is not empty', async (path, body, pointers) => {
    const { status, body: problem } = await world.admin.post(path.replace('{workspace}', scene.id), body());
    expect({ status, errors: (problem.errors as Json[]).map(({ pointer, detail }) => [pointer, detail]) }).toEqual({
      status: 400,
      errors: pointers.map((pointer) => [pointer, 'must not be empty']),
    });
  }); // prettier-ignore
});

describe('PATCH of a record', () => {
  it('is its PUT, with its rights, preconditions and idempotency', async () => {
    const environment = { name: 'before', description: 'stays', organization_id: world.organization };
    const { id } = await done(world.admin.post('/api/environments', environment));
    const path = `/api/environments/${id}`;
    const patch = (by: Person, body: object, headers = {}) => by.call('PATCH', path, { body, headers });
    const { etag = '' } = Object.fromEntries((await world.admin.get(path)).headers);
    const key = { 'idempotency-key': randomUUID() };
    const changed = await patch(world.admin, { name: 'after' }, { 'if-match': etag, ...key });
    expect(changed).toMatchObject({ status: 200, body: { name: 'after', description: 'stays' } });
    expect((await patch(world.admin, { name: 'after' }, { 'if-match': etag, ...key })).headers.get('idempotency-replayed')).toBe('true'); // prettier-ignore
    expect((await patch(world.admin, { name: 'again' }, { 'if-match': etag })).status).toBe(412);
    for (const by of [people.outsider, people.viewer, world.stranger])
      expect((await patch(by, { name: 'x' })).status).toBe((await by.put(path, { name: 'x' })).status);
    const merge = { 'content-type': 'application/merge-patch+json' };
    expect(await patch(world.admin, { description: null }, merge)).toMatchObject({ body: { description: '' } });
  });

  it('is one wherever there is a PUT, and 405 elsewhere', async () => {
    const table = world.get(RouteTable);
    const paths = table.listRoutes().map(({ path }) => path.replace(/:\w+/g, randomUUID()));
    const wrong = paths.filter((path) => {
      const methods = table.findMethods(path);
      return methods.includes('PUT') !== methods.includes('PATCH');
    });
    expect({ paths: paths.length > 200, wrong }).toEqual({ paths: true, wrong: [] });
    const answer = await world.admin.call('PATCH', '/api/environments', { body: {} });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('deleting several designs', () => {
  it('is answered the first response when it is repeated with its key', async () => {
    const designs = [await scene.design(), await scene.design()].map(({ id }) => ({ id: id as string }));
    const send = (key: string, by = people.admin) =>
      by.call('POST', '/api/patterns/delete', { body: { patterns: designs }, headers: { 'idempotency-key': key } });
    const key = randomUUID();
    const first = await send(key);
    expect(first).toMatchObject({ status: 200, body: { total_count: 2 } });
    const again = await send(key);
    expect({ status: again.status, body: again.body, replayed: again.headers.get('idempotency-replayed') }).toEqual({
      status: 200,
      body: first.body,
      replayed: 'true',
    });
    expect((await send(randomUUID())).status).toBe(404);
    expect((await send(key, people.editor)).status).toBe(404);
  });
});

describe('an id that is empty in a path', () => {
  it.each([
    ['GET', '/api/environments//connections', 'environmentID'],
    ['DELETE', '/api/environments/', 'id'],
    ['PATCH', '/api/environments/', 'id'],
    ['POST', `/api/environments/${randomUUID()}/connections/`, 'connectionID'],
    ['GET', '/api/workspaces//designs?page=0', 'id'],
  ])('is 400: %s %s', async (method, path, name) => {
    expect(await world.admin.call(method, path)).toMatchObject({
      status: 400,
      body: { detail: `${name} is empty`, errors: [{ pointer: name, detail: 'is empty' }] },
    });
  });

  it('is found on every route', () => {
    const table = world.get(RouteTable);
    const missed = table.listRoutes().filter(({ method, path }) => {
      const [, name] = /\/:(\w+)/.exec(path) ?? [];
      if (name === undefined || path.includes('*')) return false;
      const asked = path.replace(/:\w+/, '').replace(/:\w+/g, randomUUID());
      return table.find(method, asked) === undefined && table.findEmptyParameter(method, asked) === undefined;
    });
    expect(missed).toEqual([]);
  });
});

describe('a deployment that is asked for', () => {
  it('in an archived workspace is refused for the archive, whatever its target', async () => {
    const own = await WorkspaceScene.make(world, people);
    const design = await own.design();
    await done(world.admin.post(`${own.path}/archive`));
    for (const path of ['/api/pattern/deploy', '/api/pattern/deploy/plan'])
      expect(await world.admin.post(path, { id: design.id })).toMatchObject({
        status: 409,
        body: { code: 'WORKSPACE_ARCHIVED' },
      });
  });

  it('through a connection or into an environment of another organization is 404', async () => {
    const environment = await scene.environment();
    await scene.cluster(environment, 'https://127.0.0.1:9');
    const design = await scene.design(world.admin);
    const theirs = { name: 'theirs', organization_id: both.organization };
    const foreign = await done(both.post('/api/integrations/connections', { ...theirs, kind: 'custom' }));
    const elsewhere = await done(both.post('/api/environments', theirs));
    const ask = (by: Person, target: object): Promise<Answer> =>
      by.post('/api/pattern/deploy', { id: design.id, ...target });
    for (const by of [both, people.admin]) {
      expect((await ask(by, { connection_ids: [foreign.id] })).status).toBe(404);
      expect((await ask(by, { environment_id: elsewhere.id })).status).toBe(404);
    }
    expect((await ask(both, { connection_ids: [randomUUID()] })).status).toBe(404);
    const listed = await both.post(`/api/pattern/deploy?contexts=nonsense`, { id: design.id });
    expect(listed.status).toBe(400);
  });
});

describe('the registry', () => {
  const definition = (name: string, displayName = name) => ({
    file: Buffer.from(
      JSON.stringify({ schemaVersion: 'models.meshery.io/v1beta1', name, displayName, model: { version: '1.0.0' } }),
    ).toString('base64'),
    file_name: 'model.json',
  });

  it('tries a package out without ids, and says what it would do', async () => {
    const name = `tried-${randomUUID().slice(0, 8)}`;
    const send = (register: boolean, displayName?: string) =>
      done(world.admin.post('/api/meshmodels/register', { ...definition(name, displayName), register }));
    const [tried] = (await send(false)).models;
    expect(tried).toMatchObject({ name, outcome: 'would_register' });
    expect(tried).not.toHaveProperty('id');
    expect((await world.admin.get(`/api/meshmodels/models/${name}`)).status).toBe(404);
    expect((await send(true)).models).toMatchObject([{ outcome: 'registered', id: expect.any(String) }]);
    const [again] = (await send(false)).models;
    expect(again).toMatchObject({ outcome: 'unchanged' });
    expect(again).not.toHaveProperty('id');
    expect((await send(false, 'Another')).models).toMatchObject([{ outcome: 'would_update' }]);
  });

  it('has the categories of the contract, also where no model is of them', async () => {
    const { categories } = await done(world.admin.get('/api/meshmodels/categories'));
    const named = ['app-definition', 'cloud-provider', 'database', 'networking', 'observability'];
    named.push('orchestration-management', 'security-compliance', 'service-mesh');
    const slugs = (categories as Json[]).map(({ slug }) => slug as string);
    expect(slugs.filter((slug) => named.includes(slug))).toEqual(named);
    expect(new Set(slugs).size).toBe(slugs.length);
    for (const [slug, plural] of named.flatMap(
      (each) =>
        [
          [each, 'models'],
          [each, 'components'],
        ] as const,
    ))
      // prettier-ignore
      expect(await world.admin.get(`/api/meshmodels/categories/${slug}/${plural}`)).toMatchObject({
        status: 200,
        body: { page: 0, [plural]: expect.any(Array) },
      });
    const name = 'Security & Compliance';
    expect(categories).toContainEqual({ name, slug: 'security-compliance', models_count: 0, components_count: 0 });
    expect((await world.admin.get('/api/meshmodels/categories/no-such/models')).status).toBe(404);
    expect((await world.admin.get('/api/meshmodels/categories/database/models/no-such')).status).toBe(404);
  });

  it('registers no component without a schema', async () => {
    const modelName = `whole-${randomUUID().slice(0, 8)}`;
    const whole = { kind: 'Whole', apiVersion: 'example.org/v1', schema: { type: 'object' } };
    const part = { kind: 'Part', apiVersion: 'example.org/v1', shema: { type: 'object' } };
    const send = (...components: object[]) => world.admin.post('/api/meshmodels/components', { modelName, components });
    expect(await send(part, { component: { kind: 'Part', version: 'v1', schema: '' } })).toMatchObject({
      status: 400,
      body: {
        code: 'INVALID_DEFINITION',
        errors: [
          {
            pointer: '/components/0/schema',
            detail: 'schema is missing',
            remedy: 'Is "shema" the schema? Name it so.',
          },
          { pointer: '/components/1/component/schema', detail: 'schema is missing' },
        ],
      },
    });
    const answer = await send(part, whole, { ...whole, kind: 5 });
    expect(answer).toMatchObject({ status: 200, body: { components: [{ kind: 'Whole' }], counts: { failed: 2 } } });
    expect((answer.body.errors as Json[]).map(({ pointer }) => pointer as string).sort()).toEqual([
      '/components/0/schema',
      '/components/2/kind',
    ]);
  });

  it('calls the registrant of what is registered or generated here armature', async () => {
    const registrantOf = async (name: string): Promise<string> =>
      (await done(world.admin.get(`/api/meshmodels/models/${name}`))).models[0].registrant.hostname;
    const byHand = `hand-${randomUUID().slice(0, 8)}`;
    const component = { kind: 'Thing', apiVersion: 'example.org/v1', schema: { type: 'object' } };
    await done(world.admin.post('/api/meshmodels/components', { modelName: byHand, components: [component] }));
    const packed = `packed-${randomUUID().slice(0, 8)}`;
    await done(world.admin.post('/api/meshmodels/register', definition(packed)));
    const generated = `generated-${randomUUID().slice(0, 8)}`;
    const source = JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      components: { schemas: { Thing: { type: 'object', properties: { size: { type: 'integer' } } } } },
    });
    await done(world.admin.post('/api/meshmodels/generate', { source, config: { model: generated } }));
    expect(await Promise.all([byHand, packed, generated].map(registrantOf))).toEqual([
      'armature',
      'armature',
      'armature',
    ]);
  });
});

describe('what is measured and logged', () => {
  it('has deployments, clusters, the pools and the routes of GraphQL and of files', async () => {
    await world.admin.graphql('{ me { id } }');
    await world.stranger.get('/api/docs/main.js');
    const { body } = await world.stranger.get('/metrics');
    for (const line of [
      /armature_http_request_duration_seconds_count\{[^}]*route="\/api\/system\/graphql\/query",status="200"\} \d/,
      /armature_http_request_duration_seconds_count\{[^}]*route="\/api\/docs\/:file"/,
      /armature_database_connections\{state="idle"\} \d/,
      /armature_database_connections\{state="waiting"\} 0/,
      /armature_worker_tasks\{lane="foreign",state="running"\} \d/,
      /# TYPE armature_deployment_duration_seconds histogram/,
      /armature_cluster_request_duration_seconds_count\{outcome="unreachable"\} \d/,
    ])
      expect(body).toMatch(line);
  });

  it('is one line a request, with its route and its caller', async () => {
    const logger = world.app.get<Logger>(LOGGER);
    const level = logger.level;
    logger.level = 'info';
    const info = jest.spyOn(logger, 'info').mockImplementation(() => undefined);
    await world.admin.graphql('{ me { id } }');
    await world.admin.get(`/api/workspaces/${scene.id}`);
    await world.stranger.get('/api/docs/main.js');
    const lines = info.mock.calls.filter(([, text]) => text === 'request').map(([line]) => line as Json);
    info.mockRestore();
    logger.level = level;
    expect(lines).toMatchObject([
      { method: 'POST', route: '/api/system/graphql/query', status: 200, user_id: world.admin.id },
      { method: 'GET', route: '/api/workspaces/:id', path: scene.path, status: 200, user_id: world.admin.id },
      { method: 'GET', route: '/api/docs/:file', user_id: undefined },
    ]);
    expect(new Set(lines.map(({ request_id }) => request_id as string)).size).toBe(3);
  });
});

describe('names, addresses and ids', () => {
  const DECOMPOSED = ' Cafe\u0301 \u200B';
  const users = () => `/api/identity/orgs/${world.organization}/users`;
  const create = (path: string, name: string, fields: object = {}) =>
    world.admin.post(path, { name, organization_id: world.organization, ...fields });

  it('are stored composed and without outer space, found and unique so', async () => {
    const teams = `/api/identity/orgs/${world.organization}/teams`;
    expect(await world.admin.post(teams, { name: DECOMPOSED })).toMatchObject({ status: 201, body: { name: 'Café' } });
    for (const same of ['Café', 'cafe\u0301', ' CAFÉ'])
      expect(await world.admin.post(teams, { name: same })).toMatchObject({
        status: 409,
        body: { code: 'NAME_TAKEN' },
      });
    for (const search of ['Café', ' cafe\u0301\u200B '])
      expect((await world.admin.get(`${teams}?search=${encodeURIComponent(search)}`)).body.total_count).toBe(1);
    const { id } = (await create('/api/workspaces', 'before')).body;
    const renamed = await world.admin.put(`/api/workspaces/${id}`, { name: DECOMPOSED });
    expect(renamed.body.name).toBe('Café');
  });

  it.each(['a\r\nb', 'a\u0007', 'a\u2028b', 'a\u202Eb', 'a\u2066b', '\u200B\u00AD', '   ', ''])(
    'are no name when they are %j',
    async (name) => {
      const answers = [
        await create('/api/environments', name),
        await create('/api/workspaces', name),
        await world.admin.post('/api/identity/orgs', { name }),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({
          status: 400,
          body: { errors: [{ pointer: '/name' }] },
        });
    },
  );

  it('keep what joins characters inside of a name', async () => {
    const name = 'family 👨\u200D👩\u200D👧 ❤️';
    expect((await create('/api/environments', name)).body.name).toBe(name);
  });

  it.each([
    ['x@bücher.example', 'X@xn--bcher-kva.EXAMPLE', 'x@xn--bcher-kva.example'],
    ['re\u0301ne\u0301@names.example', 'réné@names.example', 'réné@names.example'],
  ])('are one account: %s and %s', async (first, second, stored) => {
    const fields = { role: 'member', password: PASSWORD };
    expect(await world.admin.post(users(), { email: first, ...fields })).toMatchObject({
      status: 201,
      body: { email: stored },
    });
    expect((await world.admin.post(users(), { email: second, ...fields })).status).toBe(409);
    const signIn = (email: string) => world.stranger.post('/api/auth/login', { email, password: PASSWORD });
    expect([(await signIn(first)).status, (await signIn(second)).status]).toEqual([200, 200]);
  });

  it.each([
    'a\u202Eb@names.example',
    'a\u200Bb@names.example',
    'ａ@names.example',
    'a@ｎames.example',
    'a b@c.example',
  ])('are no address when they are %j', async (email) => {
    expect(await world.admin.post(users(), { email, role: 'member' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/email' }] },
    });
  });

  it('are ordered as people order them, in both directions and by cursors', async () => {
    const names = ['apfel', 'Äpfel', 'banana', 'item 2', 'item 10', 'Zebra'].map((name) => `${name} in order`);
    for (const name of [...names].reverse()) await create('/api/environments', name);
    const list = async (query: string) => (await world.admin.get(`/api/environments?search=in%20order&${query}`)).body;
    const namesOf = ({ environments }: Json) => (environments as Json[]).map(({ name }) => name as string);
    expect(namesOf(await list('order=name'))).toEqual(names);
    expect(namesOf(await list('order=name%20DESC'))).toEqual([...names].reverse());
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Json = await list(`order=name%20ASC&pagesize=2&cursor=${cursor}`);
      walked.push(...namesOf(page));
      cursor = page.next_cursor as string | null;
    }
    expect(walked).toEqual(names);
  });

  it('answer ids as they are stored, however they were written', async () => {
    const written = world.organization.toUpperCase();
    for (const path of ['/api/environments', '/api/workspaces']) {
      const answers = [
        await create(path, 'in capitals', { organization_id: written }),
        await world.admin.post(`${path}?orgID=${written}`, { name: 'in capitals' }),
      ];
      for (const { status, body } of answers) expect([status, body.organization_id]).toEqual([201, world.organization]);
    }
  });
});
