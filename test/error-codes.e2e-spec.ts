import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ERROR_CODES } from '../src/core/errors/error-codes.js';
import { LEFT_OUT_CODES } from '../src/designs/from-cluster/left-out.js';
import { CLUSTER_ERROR_CODES } from '../src/kubernetes/clusters/cluster-error.js';
import { World } from './support/world.js';

const ROOT = join(import.meta.dirname, '..');
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;
const KNOWN = new Map(Object.values(ERROR_CODES).flatMap((codes) => codes.map((each) => [each.code, each] as const)));
/** Constructors of errors whose first or second argument is a code. */
const ERRORS = /^(AppError|Conflict|RemoteFailure)$/;

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** Codes that the sources give to errors: arguments of their constructors, and members `code` of their options. */
function codesIn(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(join(ROOT, 'src', path), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) && ERRORS.test(node.expression.getText(source))) {
      for (const each of node.arguments?.slice(0, 2) ?? [])
        if (ts.isStringLiteral(each) && CODE.test(each.text)) found.push(each.text);
    }
    const isOption = ts.isPropertyAssignment(node) && node.name.getText(source) === 'code';
    if (isOption && ts.isStringLiteral(node.initializer) && CODE.test(node.initializer.text))
      found.push(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Codes of Node.js on errors that no caller sees. */
const INTERNAL = ['PROXY_CLOSED', 'ETIMEDOUT', 'ECONNREFUSED', 'ECONNRESET'];
/** Codes that are none of errors. */
const OTHERS = new Set<string>([...INTERNAL, ...LEFT_OUT_CODES]);

it('every code that the sources give to an error is explained', () => {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const used = files.filter((path) => /(?<!\.spec|\.fixture|\.d)\.ts$/.test(path)).flatMap(codesIn);
  expect(used.length).toBeGreaterThan(100);
  const all = new Set([...used, ...CLUSTER_ERROR_CODES]);
  expect([...all].filter((code) => !KNOWN.has(code) && !OTHERS.has(code))).toEqual([]);
});

it('the type of a problem leads to its place on a page that needs no token', async () => {
  const { body } = await world.stranger.get('/api/environments');
  const { pathname, hash } = new URL(body.type as string, world.baseUrl);
  expect({ pathname, hash }).toEqual({ pathname: '/api/docs/errors', hash: '#unauthenticated' });
  const page = await world.stranger.get(pathname);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.body).toContain(`id="${hash.slice(1)}"`);
  const places = [...(page.body as string).matchAll(/<dt id="([\w-]+)"><code>(\w+)</g)].map(([, , code]) => code);
  expect(places).toEqual([...KNOWN.keys()]);
});

it('docs/errors.md lists the same codes', () => {
  const rows = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8').matchAll(
    /^\| `([A-Z_]+)` +\| ([\d, ]+?) +\| (.*?) +\|$/gm,
  );
  const listed = [...rows].map(([, code, statuses, meaning]) => ({
    code,
    statuses: statuses?.split(', ').map(Number),
    meaning,
  }));
  expect(listed).toEqual([...KNOWN.values()]);
});

it('lists both statuses of an address that may not be called: in a request, and of a connection', async () => {
  const url = 'http://169.254.169.254/';
  const { admin, organization } = world;
  const inRequest = await admin.post(`/api/identity/orgs/${organization}/webhooks`, { url, events: ['*'] });
  const connection = await admin.post('/api/integrations/connections', {
    name: 'metrics',
    kind: 'prometheus',
    metadata: { url: 'http://127.0.0.1:1/' },
    organization_id: organization,
  });
  await world.sql('UPDATE connection SET metadata = $1 WHERE id = $2', [{ url }, connection.body.id]);
  const ofConnection = await admin.get(`/api/telemetry/prometheus/${connection.body.id}/ping`);
  const answers = [inRequest, ofConnection].map(({ status, body }) => [body.code, status]);
  expect(answers).toEqual(KNOWN.get('OUTBOUND_REFUSED')?.statuses.map((status) => ['OUTBOUND_REFUSED', status]));
});
