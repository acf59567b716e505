import { randomUUID } from 'node:crypto';
import type { Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { RequestMethod } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { IS_PUBLIC } from '../src/core/access/access.decorators.js';
import { isRoleAtLeast } from '../src/core/access/roles.js';
import {
  type BodyRight,
  type DeclaredRights,
  type PathRight,
  getDeclaredRights,
} from '../src/core/rest/rights/rights.decorators.js';
import { RouteTable } from '../src/core/rest/route-table.js';
import { proxyFilter } from '../src/filters/wasm/module.fixture.js';
import { type Answer, type Json, Person } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Write routes without a declared right, and why they need none. */
const EXEMPT: Record<string, string> = {
  'POST /api/auth/logout': 'asks for nothing but the refresh token of the body, whose session it ends',
  'POST /api/system/graphql/query': 'has its rights in its fields',
  'POST /api/mcp': 'has its rights in its tools, each of which is a call of a service',
};

/** Far more than any answer of this file needs, far less than what the costly bodies would take to be read. */
const FAST_MS = 5_000;

interface WriteRoute {
  route: string;
  isPublic: boolean;
  rights: DeclaredRights;
}

let world: World;
let people: People;
let reader: Person;
let ids: Record<string, string>;
let routes: WriteRoute[];
/** What a body says of where the call goes, by the provider that judges it. */
let places: Record<string, object>;

beforeAll(async () => {
  world = await World.start({ LIMIT_BODY_BYTES: '1500000', OUTBOUND_ALLOW: '127.0.0.1/32' });
  people = await peopleOf(world);
  const made = await done(world.admin.post('/api/identity/tokens', { name: 'reader', scopes: ['read'] }));
  reader = new Person(world.baseUrl, made.token as string);
  routes = writeRoutes();
  await prepare();
  // Workers take seconds to start from source, which is no part of an answer's time.
  await Promise.all([costly, costly].map((body) => world.admin.post('/api/environments', body)));
}, 120_000);
afterAll(() => world.stop());

async function prepare(): Promise<void> {
  const { admin, organization } = world;
  const workspace = await WorkspaceScene.make(world, people);
  const environment = await workspace.environment();
  const connection = await workspace.cluster(environment, 'https://127.0.0.1:9');
  const design = await workspace.design();
  const module = { filter_file: proxyFilter().toString('base64') };
  const filter = await done(
    admin.post('/api/filter', { name: 'headers', filter_data: module, workspace_id: workspace.id }),
  );
  const deployment = await done(
    admin.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id }),
  );
  const credential = await done(
    admin.post('/api/integrations/credentials', {
      name: 'secret',
      type: 'custom',
      secret: { a: 1 },
      organization_id: organization,
    }),
  );
  const profile = await done(
    admin.post('/api/performance/profiles', {
      ...{ name: 'shop', endpoints: ['http://127.0.0.1:9/'], qps: 1, concurrent_request: 1, duration: '1s' },
      workspace_id: workspace.id,
    }),
  );
  const run = await done(admin.post(`/api/performance/profiles/${profile.id}/run`, {}));
  ids = {
    orgId: organization,
    environmentID: environment.id,
    envID: environment.id,
    connectionID: connection.id,
    designID: design.id,
    teamId: (await workspace.team()).id,
    userId: people.editor.id,
    number: '1',
    entityType: 'model',
    '/api/environments': environment.id,
    '/api/integrations/connections': connection.id,
    '/api/integrations/credentials': credential.id,
    '/api/workspaces': workspace.id,
    '/api/pattern': design.id,
    '/api/pattern/clone': design.id,
    '/api/filter': filter.id,
    '/api/filter/clone': filter.id,
    '/api/deployments': deployment.id,
    '/api/performance/profiles': profile.id,
    '/api/user/performance/profiles': profile.id,
    '/api/performance/runs': run.id,
    '/api/user/performance/runs': run.id,
    '/api/events': (await done(admin.get(`${workspace.path}/activity`))).events[0].id,
  };
  ids['/api/system/events'] = ids['/api/events'] ?? '';
  places = {
    OrganizationsService: { organization_id: organization },
    WorkspacePlacementService: { workspace_id: workspace.id },
    DesignsService: { id: design.id },
    DesignImportRights: { id: design.id },
    DeployRights: { workspace_id: workspace.id, pattern_file: 'kind: [' },
    UndeploymentsService: { id: design.id },
    FiltersService: { id: filter.id },
    DesignRemovalService: { patterns: [{ id: design.id }] },
  };
}

/** Every write route that a controller has, with the rights that its handler declares. */
function writeRoutes(): WriteRoute[] {
  const controllers = [...world.get(ModulesContainer).values()].flatMap((module) =>
    [...module.controllers.values()].map(({ metatype }) => metatype as Type),
  );
  return controllers.flatMap((controller) =>
    new MetadataScanner().getAllMethodNames(controller.prototype as object).flatMap((name) => {
      const handler = (controller.prototype as Record<string, object>)[name] ?? {};
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod];
      if (!method || !WRITES.includes(method)) return [];
      const isPublic = [handler, controller].some((target) => Reflect.getMetadata(IS_PUBLIC, target) === true);
      return pathsOf(controller).flatMap((base) =>
        pathsOf(handler).map((path) => ({
          route: `${method} ${['/api', base, path].join('/').replace(/\/+/g, '/').replace(/\/$/, '')}`,
          isPublic,
          rights: getDeclaredRights(handler),
        })),
      );
    }),
  );
}

const pathsOf = (target: object): string[] => [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();

function addressOf(route: string): string {
  const path = route.split(' ')[1] ?? '';
  const root = path.slice(0, path.indexOf('/:'));
  return path.replace(/:(\w+)/g, (_, name: string) => (name === 'id' ? ids[root] : ids[name]) ?? randomUUID());
}

interface Sent {
  what: string;
  body: string | FormData;
  type?: string;
}

const BRACES = '}'.repeat(100_000);
const ANCHORS = `- ${'&a '.repeat(200_000)}`;

/** What each field would cost if it were read: programs, parsers and hashes wait behind them. */
const costly = {
  name: 5,
  kind: 'kubernetes',
  metadata: { server: 'https://cluster.example' },
  credential_secret: { kubeconfig: BRACES },
  secret: { kubeconfig: BRACES },
  kubeconfig: BRACES,
  pattern_data: { pattern_file: ANCHORS },
  filter_data: { filter_file: 'A'.repeat(50_000) },
  file: 'A'.repeat(50_000),
  url: 'http://127.0.0.1:9/never-fetched',
  password: 'x'.repeat(1000),
};

const wrongTypes = { name: [], metadata: 'text', pattern_data: 7, role: {}, status: [[]], scopes: 'all', config: 3 };

/** Bodies that no route would take, none of which says where the call goes. */
const unread: Sent[] = [
  { what: 'malformed JSON', body: '{"name":' },
  { what: 'wrong types', body: JSON.stringify(wrongTypes) },
  { what: 'a list', body: '[[[]]]' },
  { what: 'another media type', body: 'name: x', type: 'text/yaml' },
  { what: 'too much', body: JSON.stringify({ name: 'x'.repeat(1_500_000) }) },
  { what: 'what costs much to read', body: JSON.stringify(costly) },
];

/** Bodies of which nothing is sound but where the call goes. */
const placed = (place: object): Sent[] => [
  { what: 'wrong types', body: JSON.stringify({ ...wrongTypes, ...place }) },
  { what: 'unknown fields', body: JSON.stringify({ ...place, nothing: { of: ['the', 'kind'] } }) },
  { what: 'what costs much to read', body: JSON.stringify({ ...costly, ...place }) },
];

async function send(person: Person, route: string, { body, type }: Sent): Promise<Answer & { ms: number }> {
  const since = performance.now();
  const [method = ''] = route.split(' ');
  const headers = { 'idempotency-key': randomUUID(), ...(type ? { 'content-type': type } : {}) };
  const answer = await person.call(method, addressOf(route), { body, headers });
  return { ...answer, ms: performance.now() - since };
}

/** Sends the bodies and expects the same refusal for each of them, soon. */
async function expectRefusal(person: Person, route: string, bodies: Sent[], status: number): Promise<void> {
  const answers = await Promise.all(
    bodies.map(async (sent) => {
      const { status: given, ms } = await send(person, route, sent);
      return { what: sent.what, status: given, isFast: ms < FAST_MS };
    }),
  );
  const refused = bodies.map(({ what }) => ({ what, status, isFast: true }));
  expect({ route, answers }).toEqual({ route, answers: refused });
}

/** The refusal that a user without a role there gets; undefined for what is everyone's own. */
function ofStranger({ operation, authorizer: judge }: PathRight | BodyRight): number | undefined {
  if (operation.installation) return 403;
  return judge ? 404 : undefined;
}

/** The refusal that a viewer of the workspace gets, who is a member of the organization; undefined when they may. */
function ofViewer({ operation, authorizer: judge }: PathRight | BodyRight): number | undefined {
  if (operation.installation) return 403;
  if (!judge || isRoleAtLeast('viewer', operation.needs)) return undefined;
  return judge.name === 'CredentialsService' ? 404 : 403;
}

const first = (
  rights: (PathRight | BodyRight)[],
  refusal: (right: PathRight | BodyRight) => number | undefined,
): number | undefined => rights.map(refusal).find((status) => status !== undefined);

describe('every write route', () => {
  it('declares the right that it asks for, or is exempt for a reason', () => {
    const known = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ method }) => WRITES.includes(method))
      .map(({ method, path }) => `${method} ${path}`);
    const declared = routes.filter(
      ({ isPublic, rights }) => isPublic || rights.path.length > 0 || rights.body.length > 0,
    );
    const answered = new Set([...declared.map(({ route }) => route), ...Object.keys(EXEMPT)]);
    expect(known.filter((route) => !answered.has(route))).toEqual([]);
    expect(declared.filter(({ isPublic }) => !isPublic).length).toBeGreaterThan(80);
  });

  it('asks for the scope of the token before it reads the body', async () => {
    for (const { route, rights } of routes) {
      const scopes = [...rights.path, ...rights.body].map(({ operation }) => operation.scope);
      if (scopes.some((scope) => scope !== 'read')) await expectRefusal(reader, route, unread, 403);
    }
  }, 240_000);

  it.each(['outsider', 'viewer'] as const)(
    'judges the record of its path before it reads the body: %s',
    async (who) => {
      let judged = 0;
      for (const { route, rights } of routes) {
        const status = first(rights.path, who === 'outsider' ? ofStranger : ofViewer);
        if (status === undefined) continue;
        judged += 1;
        await expectRefusal(people[who], route, unread, status);
      }
      expect(judged).toBeGreaterThan(40);
    },
    240_000,
  );

  it.each(['outsider', 'viewer'] as const)(
    'judges the place that its body names before it reads anything else of it: %s',
    async (who) => {
      let judged = 0;
      for (const { route, rights } of routes) {
        const refusal = who === 'outsider' ? ofStranger : ofViewer;
        if (first(rights.path, refusal) !== undefined) continue;
        for (const right of rights.body) {
          const status = refusal(right);
          const place = places[right.authorizer.name];
          expect({ route, place }).toMatchObject({ place: expect.any(Object) as object });
          if (status === undefined || !place) continue;
          judged += 1;
          await expectRefusal(people[who], route, placed(place), status);
        }
      }
      expect(judged).toBeGreaterThan(15);
    },
    240_000,
  );

  it('judges the place that a form names before it looks into the files', async () => {
    for (const [route, place] of [
      ['POST /api/pattern/import', places['WorkspacePlacementService']],
      ['POST /api/filter', places['WorkspacePlacementService']],
      ['POST /api/system/kubernetes', places['OrganizationsService']],
    ] as const) {
      for (const [who, status] of [
        ['outsider', 404],
        ['viewer', 403],
      ] as const) {
        const form = new FormData();
        form.set('k8sfile', new Blob([BRACES]), 'config.yaml');
        for (const [name, value] of Object.entries(place ?? {})) form.set(name, String(value));
        await expectRefusal(people[who], route, [{ what: 'a file', body: form }], status);
      }
    }
  });

  it('replays no kept answer to who may no longer call it', async () => {
    const { admin, organization } = world;
    const person = await world.person('admin');
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: 'once', organization_id: organization };
    expect((await person.post('/api/environments', body, { headers })).status).toBe(201);
    expect((await person.post('/api/environments', body, { headers })).status).toBe(201);
    await done(admin.put(`/api/identity/orgs/${organization}/users/${person.id}`, { role: 'member' }));
    expect((await person.post('/api/environments', body, { headers })).status).toBe(403);
  });
});

/** Mutations with arguments that none of them takes. */
const MUTATIONS: Record<string, (connection: string) => string> = {
  changeAdapterStatus: () =>
    'changeAdapterStatus(input: { targetStatus: ENABLED, targetPort: "no port", adapter: "no adapter" })',
  changeOperatorStatus: (id) => `changeOperatorStatus(input: { targetStatus: UNKNOWN, contextID: "${id}" })`,
  resyncCluster: (id) =>
    `resyncCluster(k8scontextID: "${id}", selector: { clearDB: "maybe", ReSync: "no", hardReset: "" })`,
};

describe('every GraphQL field', () => {
  it('that changes something is known to this test', () => {
    const { schema } = world.get(GraphQLSchemaHost);
    expect(Object.keys(schema.getMutationType()?.getFields() ?? {})).toEqual(Object.keys(MUTATIONS));
  });

  it.each(Object.entries(MUTATIONS))(
    '%s judges the connection before it looks at its other arguments',
    async (_, ask) => {
      const { body } = await people.outsider.graphql(`mutation { ${ask(ids['connectionID'] ?? '')} }`);
      expect((body.errors as Json[]).map(({ extensions }: Json) => extensions.code as string)).toEqual(['NOT_FOUND']);
    },
  );

  it.each(['environments', 'workspaces', 'connections', 'events'])(
    '%s judges the organization before it parses its other arguments',
    async (field) => {
      const query = `{ ${field}(orgID: "${world.organization}", filter: "{{{", order: "nothing") { total_count } }`;
      const { body } = await people.outsider.graphql(query);
      expect((body.errors as Json[]).map(({ extensions }: Json) => extensions.code as string)).toEqual(['NOT_FOUND']);
    },
  );
});
