import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { Person } from './support/person.js';
import { ServerProcess } from './support/server-process.js';

const ROOT = join(import.meta.dirname, '..');
const ADMIN = { email: 'admin@example.org', password: 'correct horse battery' };
/** A build from nothing takes some seconds on an idle machine. */
const BUILD_MS = 300_000;

let database: TestDatabase;
let server: ServerProcess;
let admin: Person;

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build-when-stale.mjs'], { cwd: ROOT, stdio: 'ignore' });
  database = await cloneDatabase();
  server = await ServerProcess.start(
    { DATABASE_URL: database.url, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password },
    [process.execPath, join(ROOT, 'dist/src/main.js')],
  );
  await server.line('the first administrator was made');
  const { body } = await new Person(server.baseUrl, null).post('/api/auth/login', ADMIN);
  admin = new Person(server.baseUrl, body.access_token as string);
}, BUILD_MS);
afterAll(async () => {
  await server?.kill();
  await database?.drop();
});

describe('the built server', () => {
  it('documents what the sources do: no name of a class and no type of a field is lost', async () => {
    const written = JSON.parse(readFileSync(join(ROOT, 'docs/api/openapi.json'), 'utf8'));
    const { body } = await admin.get('/api/openapi.json');
    expect(body.paths).toEqual(written.paths);
    expect(body.components.schemas).toEqual(written.components.schemas);
    const sdl = await admin.get('/api/docs/schema.graphql');
    expect(sdl.body).toBe(readFileSync(join(ROOT, 'docs/api/schema.graphql'), 'utf8'));
  });

  it('validates bodies by rules that inputs inherit', async () => {
    const { status, body } = await admin.post('/api/environments', { name: '', colour: 'red' });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
      expect.arrayContaining(['/name', '/colour']),
    );
  });

  it('lets worker threads load their tasks', async () => {
    const manifest = Array.from({ length: 1_500 }, (_, number) => configMap(number)).join('---\n');
    const { status, body } = await admin.upload('/api/pattern/import', 'large.yaml', manifest);
    expect([status, body.name]).toEqual([201, 'large']);
    const picture = await admin.get(`/api/pattern/download/${body.id}?export=kubernetes`);
    expect(picture.status).toBe(200);
  });

  it('answers GraphQL', async () => {
    const { body } = await admin.post('/api/system/graphql/query', { query: '{ me { email } }' });
    expect(body).toEqual({ data: { me: { email: ADMIN.email } } });
  });
});

const configMap = (number: number): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-${number}\ndata:\n  text: ${'x'.repeat(60)}\n`;
