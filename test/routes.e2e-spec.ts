import { randomUUID } from 'node:crypto';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  validate,
} from 'graphql';
import { RouteTable } from '../src/core/rest/route-table.js';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** The only routes that answer without a token; links in mails carry one of their own. */
const OPEN =
  /^\/($|api\/notifications\/(unsubscribe\/|page$)|healthz\/|metrics$|download\/|api\/system\/version$|api\/auth\/(?!logout)|api\/docs|api\/openapi\.|api\/system\/graphql\/)/;

/** A value that an argument of this type takes, written as in a document. */
function sampleOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sampleOf(type.ofType);
  if (isListType(type)) return `[${sampleOf(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{ ${required.map((field) => `${field.name}: ${sampleOf(field.type)}`).join(', ')} }`;
  }
  return type.name === 'Int' || type.name === 'Float' ? '1' : type.name === 'Boolean' ? 'true' : `"${randomUUID()}"`;
}

/** Every field of a type that needs no argument, down to leaves. */
function selectionOf(type: GraphQLOutputType, depth = 3): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && (depth > 1 || isLeafType(getNamedType(field.type))),
  );
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`).join(' ')} }`;
}

/** An operation that asks for one root field with its required arguments. */
function rootFieldDocument(isMutation: boolean, { name, args, type }: GraphQLField<unknown, unknown>): string {
  const given = args.filter(isRequiredArgument).map((each) => `${each.name}: ${sampleOf(each.type)}`);
  return `${isMutation ? 'mutation' : 'query'} { ${name}${given.length > 0 ? `(${given.join(', ')})` : ''} ${selectionOf(type)} }`;
}

describe('every route', () => {
  it('is closed to callers without a token, but for those that are listed', async () => {
    const routes = world.get(RouteTable).listRoutes();
    expect(routes.length).toBeGreaterThan(50);
    const answers = await Promise.all(
      routes
        .filter(({ path }) => !OPEN.test(path))
        .map(async ({ method, path }) => {
          const asked = path.replace(/:\w+/g, randomUUID()).replace(/\*\w+/g, 'x');
          return { route: `${method} ${path}`, status: (await world.stranger.call(method, asked)).status };
        }),
    );
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
  });

  it('takes the examples of the OpenAPI document, or lacks a record only', async () => {
    const { body: document } = await world.stranger.get('/api/openapi.json');
    const calls = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).flatMap(([method, operation]) =>
        Object.entries<Json>(operation.requestBody?.content['application/json']?.examples ?? {}).map(
          ([form, { value }]) => ({ form: `${operation.operationId} ${form}`, method, path, operation, value }),
        ),
      ),
    );
    expect(calls.length).toBeGreaterThan(100);
    const words = (name: string, { parameters }: Json): string =>
      parameters.find((each: Json) => each.name === name)?.schema?.enum?.[0] ?? randomUUID();
    const faults: unknown[] = [];
    for (const { form, method, path, operation, value } of calls) {
      // What the server would have to fetch from elsewhere.
      if (/ (url|slack)$/.test(form) || operation.deprecated) continue;
      const asked = path.replace(/\{(\w+)\}/g, (_, name: string) => words(name, operation));
      const sent = value.organization_id ? { ...value, organization_id: world.organization } : value;
      const { status, body } = await world.admin.call(method.toUpperCase(), asked, { body: sent });
      const isPublic = operation.security.length === 0 || /auth\/logout$|users\/password$/.test(path);
      const lacksRecord = [404, 409, 410].includes(status) || (isPublic && status < 500);
      if (status >= 300 && !lacksRecord) faults.push({ form, status, detail: body.detail });
    }
    expect(faults).toEqual([]);
  }, 120_000);

  it('is in the OpenAPI document, which is of version 3.1', async () => {
    const { status, body } = await world.stranger.get('/api/openapi.json');
    expect({ status, version: body.openapi }).toEqual({ status: 200, version: '3.1.0' });
    const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const missing = world
      .get(RouteTable)
      .listRoutes()
      .filter(
        ({ path }) =>
          path.startsWith('/api/') &&
          !/^\/api\/(docs|openapi|system\/graphql|notifications\/(unsubscribe|page))/.test(path),
      )
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !/^GET \/api\/auth\/(password\/reset|invitations\/:token\/confirm)/.test(route))
      .filter((route) => !described.includes(route));
    expect(missing).toEqual([]);
  });

  it('refers only to schemas that the OpenAPI document has', async () => {
    const { body } = await world.stranger.get('/api/openapi.json');
    const schemas = Object.keys(body.components.schemas as object);
    const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/([^"]*)"/g)].map(([, name]) => name);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((name) => !schemas.includes(name as string))).toEqual([]);
    expect(schemas).toEqual(expect.arrayContaining(['MembershipView', 'DeployedResourceView', 'PlannedResourceView']));
  });

  it('is reached by its own path, whatever stands before it', () => {
    const table = world.get(RouteTable);
    const routes = table.listRoutes().filter(({ path }) => !path.startsWith('/api/docs'));
    const shapes = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(shapes.filter((shape, index) => shapes.indexOf(shape) !== index)).toEqual([]);
    const lost = routes.filter(({ method, path }) => {
      const asked = path.replace(/:\w+/g, randomUUID()).replace(/\*\w+/g, 'x');
      return table.find(method, asked)?.path !== path;
    });
    expect(lost).toEqual([]);
  });

  it('is not taken for one with a parameter: another method is 405 with Allow', async () => {
    const { admin } = world;
    const answers = await Promise.all(
      [
        ['GET', '/api/pattern/import'],
        ['PUT', '/api/pattern/types'],
        ['GET', '/api/pattern/deploy'],
        ['PUT', '/api/filter/catalog'],
        ['DELETE', '/api/identity/users/profile'],
      ].map(async ([method = '', path = '']) => {
        const { status, headers, body } = await admin.call(method, path);
        return [method, path, status, headers.get('allow'), body.code as string];
      }),
    );
    expect(answers).toEqual([
      ['GET', '/api/pattern/import', 405, 'POST', 'METHOD_NOT_ALLOWED'],
      ['PUT', '/api/pattern/types', 405, 'GET', 'METHOD_NOT_ALLOWED'],
      ['GET', '/api/pattern/deploy', 405, 'DELETE, POST', 'METHOD_NOT_ALLOWED'],
      ['PUT', '/api/filter/catalog', 405, 'GET', 'METHOD_NOT_ALLOWED'],
      ['DELETE', '/api/identity/users/profile', 405, 'GET, PATCH, PUT', 'METHOD_NOT_ALLOWED'],
    ]);
  });

  it('names the replacement of a deprecated path, and until when it is served', async () => {
    const { headers } = await world.admin.get('/api/registry/models/kubernetes');
    expect(headers.get('deprecation')).toMatch(/^@\d+$/);
    const notice = Date.parse(headers.get('sunset') ?? '') - Number(headers.get('deprecation')?.slice(1)) * 1000;
    expect(notice).toBeGreaterThan(182 * 86_400_000);
    expect(headers.get('link')).toBe('</api/meshmodels/models/kubernetes>; rel="successor-version"');
    expect((await world.admin.get('/api/meshmodels/models/kubernetes')).headers.get('deprecation')).toBeNull();
    const { body: openapi } = await world.stranger.get('/api/openapi.json');
    const deprecated = Object.entries(openapi.paths as Record<string, Json>).filter(([, { get }]) => get?.deprecated);
    expect(deprecated.length).toBeGreaterThan(10);
    const silent: string[] = [];
    for (const [path] of deprecated.filter(([path]) => !/stream|subscribe/.test(path))) {
      const answer = await world.admin.get(path.replace(/\{\w+\}/g, randomUUID()));
      if (!answer.headers.get('sunset')) silent.push(path);
    }
    expect(silent).toEqual([]);
  });

  it('answers an unknown path 404, a method that it does not have 405 with Allow, and malformed bodies 400 or 415', async () => {
    const { admin } = world;
    for (const path of ['/api/nothing', '/nothing', '/healthz/nothing', '/api', '/environments'])
      expect(await admin.get(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await admin.post('/healthz/live')).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
    const wrong = await admin.call('PATCH', '/api/environments');
    expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, POST' });
    expect(await admin.post('/api/environments', '{"name":')).toMatchObject({
      status: 400,
      body: { code: 'MALFORMED_JSON' },
    });
    expect((await admin.post('/api/environments', '[1]')).status).toBe(400);
    expect(
      (await admin.post('/api/environments', 'name: x', { headers: { 'content-type': 'text/yaml' } })).status,
    ).toBe(415);
    expect((await admin.post('/api/environments', JSON.stringify({ name: 'x'.repeat(6_000_000) }))).status).toBe(413);
    expect((await admin.get('/api/environments/not-an-id')).body).toMatchObject({
      status: 400,
      errors: [{ pointer: 'id' }],
    });
  });
});

describe('every GraphQL root field', () => {
  it('is closed to callers without a token', async () => {
    const { schema } = world.get(GraphQLSchemaHost);
    const documents = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.values(type?.getFields() ?? {}).map((field) =>
        rootFieldDocument(type === schema.getMutationType(), field),
      ),
    );
    expect(documents.length).toBeGreaterThan(5);
    for (const query of [...documents, '{ __schema { types { name } } }', '{ __typename }']) {
      expect(validate(schema, parse(query))).toEqual([]);
      const { status, body } = await world.stranger.graphql(query);
      const [{ locations, path, extensions }] = body.errors;
      expect({ query, status, data: body.data, locations, path, code: extensions.code }).toEqual({
        query,
        status: 200,
        data: null,
        locations: [{ line: 1, column: 1 }],
        path: [],
        code: 'UNAUTHENTICATED',
      });
    }
  });

  it('shows the types that clients know', async () => {
    const { body } = await world.admin.graphql('{ __schema { types { name kind description } } }');
    const names = body.data.__schema.types.map((type: Json) => type.name) as string[];
    expect(names).toEqual(
      expect.arrayContaining(['PageFilter', 'PatternPageResult', 'PatternResult', 'Event', 'Severity', 'Time', 'Map']),
    );
  });
});
