import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { Person } from './support/person.js';
import { World } from './support/world.js';

/** A call that published clients of other systems with this interface make, and the response. */
interface FieldCall {
  call: string;
  /** Default: a bearer token. */
  as?: 'cookie' | 'nobody';
  /** Method and path. */
  request: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  file?: Record<string, string>;
  status: number;
  /** What the body has at least. */
  body?: unknown;
  /** Why it is refused. */
  reason?: string;
}

const MANIFEST = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: page, namespace: pages }\n';
const calls = JSON.parse(readFileSync(new URL('clients/field-calls.json', import.meta.url), 'utf8')) as FieldCall[];

let world: World;
let caller: Person;
let values: Record<string, string>;

beforeAll(async () => {
  world = await World.start();
  [caller, values] = await openScene();
});
afterAll(() => world.stop());

async function openScene(): Promise<[Person, Record<string, string>]> {
  const person = await world.outsider();
  const other = await world.outsider();
  const [own, foreign] = [await makeRecords(person), await makeRecords(other)];
  return [
    person,
    {
      ...own,
      user: person.id,
      email: person.email,
      token: person.token ?? '',
      manifest: MANIFEST,
      manifest64: Buffer.from(MANIFEST).toString('base64'),
      otherEnvironment: foreign['environment'] ?? '',
      otherDesign: foreign['design'] ?? '',
    },
  ];
}

async function makeRecords({
  organization,
  post,
}: Awaited<ReturnType<World['outsider']>>): Promise<Record<string, string>> {
  const made = async (path: string, body: unknown): Promise<string> => {
    const answer = await post(path, body);
    expect(answer).toMatchObject({ status: 201 });
    return answer.body.id as string;
  };
  const environment = await made('/api/environments', { name: 'staging', organization_id: organization });
  const workspace = await made('/api/workspaces', { name: 'shop', organization_id: organization });
  const connection = await made('/api/integrations/connections', {
    name: 'metrics',
    kind: 'prometheus',
    metadata: { url: 'https://prometheus.example.com' },
    organization_id: organization,
  });
  const design = await made('/api/pattern', {
    name: 'page',
    workspace_id: workspace,
    pattern_data: { pattern_file: MANIFEST },
  });
  await post(`/api/environments/${environment}/connections/${connection}`);
  await post(`/api/workspaces/${workspace}/environments/${environment}`);
  return { organization, environment, workspace, connection, design };
}

/** Puts the values of the scene in the place of their names; `{any}` matches any text. */
function fill(value: unknown): unknown {
  if (value === '{any}') return expect.any(String);
  if (typeof value === 'string') return value.replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fill(each)]));
}

/** The body of a call, with its type. */
async function bodyOf({ json, form, file }: FieldCall): Promise<{ type: string | null; bytes: Buffer } | null> {
  if (json !== undefined) return { type: 'application/json', bytes: Buffer.from(JSON.stringify(fill(json))) };
  if (!file) return null;
  const sent = new FormData();
  for (const [name, text] of Object.entries(form ?? {})) sent.set(name, text);
  for (const [name, text] of Object.entries(file)) sent.set(name, new Blob([text]), name);
  const encoded = new Response(sent);
  return { type: encoded.headers.get('content-type'), bytes: Buffer.from(await encoded.arrayBuffer()) };
}

/** Sends no more than such a client does: `fetch` would add what only browsers send. */
async function send(each: FieldCall): Promise<{ status: number | undefined; text: string }> {
  const [method = '', path = ''] = (fill(each.request) as string).split(/ (.*)/);
  const credentials = { cookie: { cookie: `token=${caller.token ?? ''}` }, nobody: {} };
  const body = await bodyOf(each);
  const sent = request(world.baseUrl + encodeURI(path), {
    method,
    headers: {
      'user-agent': 'Go-http-client/1.1',
      ...(body ? { 'content-type': body.type ?? '', 'content-length': body.bytes.length } : {}),
      ...(each.as ? credentials[each.as] : { authorization: `Bearer ${caller.token ?? ''}` }),
      ...each.headers,
    },
  });
  sent.end(body?.bytes);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await readText(response) };
}

describe('a published client of another system with this interface', () => {
  it.each(calls)('$call: $status', async (each) => {
    const { status, text } = await send(each);
    expect({ status, text }).toEqual({ status: each.status, text });
    if (each.body !== undefined) expect(JSON.parse(text)).toMatchObject(fill(each.body) as object);
    if (each.status >= 400) expect(each.reason).toBeDefined();
  });

  it('leaves nothing of a file whose deployment is refused', async () => {
    const names = (await caller.get('/api/pattern?pagesize=all')).body.patterns.map(
      ({ name }: { name: string }) => name,
    );
    expect(names.sort()).toEqual(['copied', 'imported', 'page', 'saved.yaml']);
  });
});
