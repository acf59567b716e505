import { randomUUID } from 'node:crypto';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { isNonNullType, type GraphQLArgument } from 'graphql';
import { RouteTable } from '../src/core/rest/route-table.js';
import { moduleOf } from '../src/filters/wasm/module.fixture.js';
import type { Answer, Json, Person } from './support/person.js';
import { partOf } from './support/long-run.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start({ DATABASE_POOL: '10' })), 120_000);
afterAll(() => world.stop());

/** Everything of one organization, by the word that names it in paths and bodies. */
interface Belongings {
  canary: string;
  owner: Person;
  ids: Record<string, string>;
}

const MODULE = moduleOf().toString('base64');
const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n';

/** An organization with one of everything, each bearing a word that must never be seen outside of it. */
async function furnish(): Promise<Belongings> {
  const owner = await world.outsider();
  const canary = `CANARY-${randomUUID()}`;
  const made = async (path: string, body: object): Promise<Json> => {
    const answer = await owner.post(path, { name: canary, organization_id: owner.organization, ...body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const environment = await made('/api/environments', { description: canary });
  const connection = await made('/api/integrations/connections', {
    kind: 'x',
    metadata: { canary },
    credential_secret: { canary },
  });
  const workspace = await made('/api/workspaces', { description: canary });
  const design = (
    await owner.upload('/api/pattern/import', 'd.yaml', MANIFEST, { name: canary, workspace_id: workspace.id })
  ).body;
  const filter = await made('/api/filter', {
    organization_id: undefined,
    filter_data: { filter_file: MODULE },
    config: { canary },
    workspace_id: workspace.id,
  });
  const profile = await made('/api/performance/profiles', {
    organization_id: undefined,
    endpoints: ['http://no-such-name.invalid/'],
    request_body: canary,
    workspace_id: workspace.id,
  });
  const run = (await owner.post(`/api/performance/profiles/${profile.id}/run`)).body;
  await owner.post(`/api/performance/runs/${run.id}/cancel`);
  await owner.post(`/api/environments/${environment.id}/connections/${connection.id}`);
  await owner.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`);
  const member = (
    await owner.post(`/api/identity/orgs/${owner.organization}/users`, {
      email: `${canary}@example.org`.toLowerCase(),
      role: 'member',
      password: randomUUID(),
      first_name: canary,
    })
  ).body;
  const team = (await owner.post(`/api/identity/orgs/${owner.organization}/teams`, { name: canary })).body;
  const event = (await owner.get(`/api/events?orgID=${owner.organization}&pagesize=1`)).body.events[0];
  const ids = {
    organization: owner.organization,
    environment: environment.id,
    connection: connection.id,
    credential: connection.credential_id,
    workspace: workspace.id,
    design: design.id,
    filter: filter.id,
    profile: profile.id,
    run: run.id,
    member: member.id,
    team: team.id,
    event: event.id,
  };
  await world.sql(`UPDATE organization SET description = $2 WHERE id = $1`, [owner.organization, canary]);
  return { canary, owner, ids: Object.fromEntries(Object.entries(ids).filter(([, id]) => typeof id === 'string')) };
}

/** What a table holds of one organization, to see afterwards that nothing was written there. */
const TENANT_TABLES = [
  'environment',
  'connection',
  'credential',
  'workspace',
  'design',
  'design_version',
  'filter',
  'performance_profile',
  'performance_run',
  'deployment',
  'environment_connection',
  'workspace_environment',
  'event',
  'webhook',
  'webhook_delivery',
  'cluster_resource',
  'cluster_watch',
  'deployed_drift',
  'organization_member',
  'team',
];

const snapshot = async (organization: string): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      TENANT_TABLES.map((table) =>
        world.sql(`SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ${table} t WHERE organization_id = $1`, [
          organization,
        ]),
      ),
    ),
  );

interface Attempt {
  who: string;
  person: Person;
  method: string;
  path: string;
  body?: unknown;
}

const NOT_ASKED =
  /^\/($|healthz|metrics|api\/(docs|openapi|auth|system\/(graphql|version)|events\/(stream|subscribe)|system\/events\/(stream|subscribe)))/;

/** Every route with every foreign id in every place of its path, and with foreign ids in its query and its body. */
function* attempts(people: Record<string, Person>, own: Belongings, foreign: Belongings): Generator<Attempt> {
  const routes = world
    .get(RouteTable)
    .listRoutes()
    .filter(({ path, method }) => !NOT_ASKED.test(path) && method !== 'HEAD');
  const { ids } = foreign;
  const body = {
    name: `attempt ${randomUUID()}`,
    organization_id: ids.organization,
    workspace_id: ids.workspace,
    credential_id: ids.credential,
    environment_id: ids.environment,
    connection_ids: [ids.connection],
    user_id: ids.member,
    id: ids.design,
    kind: 'x',
    role: 'owner',
    pattern_data: { design_file: MANIFEST },
  };
  const ofFilter = {
    id: ids.filter,
    catalog_data: { content_class: 'community', type: 'Security' },
    filter_data: { filter_file: MODULE },
    workspace_id: ids.workspace,
  };
  const published = { id: ids.filter, catalog_data: ofFilter.catalog_data };
  const bodies = [{}, body, ofFilter, published, ...Object.entries(body).map(([key, value]) => ({ [key]: value }))];
  const queries = [
    '',
    ...Object.values(ids).map((id) => `?orgID=${id}&workspace_id=${id}&acted_upon=${id}&design_id=${id}`),
    `?filter=${encodeURIComponent(JSON.stringify({ owner: foreign.owner.id }))}&orgID=${ids.organization}`,
  ];
  for (const [who, person] of Object.entries(people)) {
    for (const { method, path } of routes) {
      const places = path.match(/:\w+/g) ?? [];
      const all = fill(path, places, Object.values(ids), Object.values(own.ids));
      // A member may do nothing that an owner may not: one way for each foreign id is enough.
      for (const filled of who === 'owner' || places.length < 2 ? all : partOf(all)) {
        if (method === 'GET') {
          for (const query of places.length === 0 ? queries : ['']) yield { who, person, method, path: filled + query };
        } else {
          for (const sent of places.length === 0 ? bodies : [{}, body])
            yield { who, person, method, path: filled, body: sent };
        }
      }
    }
  }
}

/** Each way to fill the places of a path with at least one foreign id: all foreign, and foreign beside one of the attacker's own. */
function fill(path: string, places: string[], foreign: string[], own: string[]): string[] {
  if (places.length === 0) return [path];
  const replace = (ids: string[]) => places.reduce((filled, place, at) => filled.replace(place, ids[at] ?? ''), path);
  if (places.length === 1) return foreign.map((id) => replace([id]));
  return foreign.flatMap((id, at) => {
    const others = [foreign[(at + 1) % foreign.length] ?? '', own[at % own.length] ?? ''];
    return others.flatMap((other) => [replace([id, other, other]), replace([other, id, id])]);
  });
}

async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = iterator.next(); !next.done; next = iterator.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: 12 }, lane));
}

it('no one sees or changes what is not theirs: every route, every foreign id, every place', async () => {
  const [own, foreign] = [await furnish(), await furnish()];
  const member = own.ids.member ?? '';
  const people = { owner: own.owner, member: await memberOf(own) };
  expect(member).not.toBe('');
  const before = await snapshot(foreign.ids.organization ?? '');
  const seen: Record<number, number> = {};
  const leaks: string[] = [];
  const faults: string[] = [];
  let count = 0;
  const judge = (label: string, { status, body }: Answer): void => {
    count++;
    seen[status] = (seen[status] ?? 0) + 1;
    if (JSON.stringify(body).includes(foreign.canary)) leaks.push(`${label}: ${status}`);
    if (status >= 500) faults.push(`${label}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
  };
  await inParallel(attempts(people, own, foreign), async ({ who, person, method, path, body }) => {
    judge(`${who} ${method} ${path} ${JSON.stringify(body ?? '')}`, await person.call(method, path, { body }));
  });
  for (const person of Object.values(people)) await overGraphql(person, foreign, judge);

  process.stderr.write(`isolation: ${count} attempts, ${leaks.length} leaks, answers ${JSON.stringify(seen)}\n`);
  expect(leaks.slice(0, 20)).toEqual([]);
  expect(faults.slice(0, 20)).toEqual([]);
  expect(await snapshot(foreign.ids.organization ?? '')).toBe(before);
  expect(count).toBeGreaterThan(5_000);
}, 600_000);

async function memberOf(own: Belongings): Promise<Person> {
  const email = `${randomUUID()}@example.org`;
  const password = randomUUID();
  await own.owner.post(`/api/identity/orgs/${own.ids.organization}/users`, { email, role: 'member', password });
  return world.signIn(email, password);
}

/** Every query with every foreign id in each of its id arguments. */
async function overGraphql(
  person: Person,
  foreign: Belongings,
  judge: (label: string, answer: Answer) => void,
): Promise<void> {
  const fields = Object.values(world.get(GraphQLSchemaHost).schema.getQueryType()?.getFields() ?? {});
  const isId = ({ type }: GraphQLArgument) => /^(ID|\[ID)/.test(String(isNonNullType(type) ? type.ofType : type));
  for (const { name, args, type } of fields) {
    const named = args.filter(isId);
    if (args.some((arg) => isNonNullType(arg.type) && !isId(arg))) continue;
    for (const id of Object.values(foreign.ids)) {
      const given = named
        .map((arg) => `${arg.name}: ${String(arg.type).startsWith('[') ? `["${id}"]` : `"${id}"`}`)
        .join(', ');
      const page = String(type).replace(/\W/g, '');
      const selection = page.endsWith('Page') ? `{ total_count ${name} { id } }` : '{ id }';
      judge(`graphql ${name} ${id}`, await person.graphql(`{ ${name}${given ? `(${given})` : ''} ${selection} }`));
    }
  }
}
