import { randomUUID } from 'node:crypto';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { RouteTable } from '../src/core/rest/route-table.js';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** The only routes that answer without a token, as decisions.md section 3 has it. */
const OPEN =
  /^\/(healthz\/|metrics$|api\/system\/version$|api\/auth\/(?!logout)|api\/docs|api\/openapi\.|api\/system\/graphql\/)/;

describe('every route', () => {
  it('is closed to callers without a token, but for those that are listed', async () => {
    const routes = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ method }) => method !== '_ALL');
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

  it('is in the OpenAPI document, which is of version 3.1', async () => {
    const { status, body } = await world.stranger.get('/api/openapi.json');
    expect({ status, version: body.openapi }).toEqual({ status: 200, version: '3.1.0' });
    const described = Object.entries(body.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const missing = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ path }) => path.startsWith('/api/') && !/^\/api\/(docs|openapi|system\/graphql)/.test(path))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((route) => !described.includes(route));
    expect(missing).toEqual([]);
  });

  it('answers an unknown path 404, a method that it does not have 405 with Allow, and malformed bodies 400 or 415', async () => {
    const { admin } = world;
    expect(await admin.get('/api/nothing')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
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
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(fields.length).toBeGreaterThan(5);
    for (const field of [...fields, '__schema', '__typename']) {
      const { status, body } = await world.stranger.graphql(
        field === '__schema' ? '{ __schema { types { name } } }' : '{ __typename }',
      );
      expect({ field, status, data: body.data, code: body.errors[0].extensions.code }).toEqual({
        field,
        status: 200,
        data: null,
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
