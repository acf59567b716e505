import { randomBytes } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import { ResponseBudget } from '../src/core/responses/response-budget.service.js';
import { Vault } from '../src/core/crypto/vault.service.js';
import { HEADER } from '../src/filters/wasm/module.fixture.js';
import type { Json, Person } from './support/person.js';
import { done } from './support/workspace-scene.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const KB = 1024;
const LIMIT = 1024 * KB;
const DESIGNS = 12;
const FILTERS = 6;

let world: World;
let editor: Person;
let workspace: Json;

beforeAll(async () => {
  world = await World.start({ LIMIT_RESPONSE_BYTES: String(LIMIT), LIMIT_RESPONSES_BYTES: String(3 * LIMIT) });
  editor = await world.person();
  const { admin, organization } = world;
  workspace = await done(admin.post('/api/workspaces', { name: 'contents', organization_id: organization }));
  await done(admin.put(`/api/workspaces/${workspace.id}/members/${editor.id}`, { role: 'editor' }));
  for (let n = 0; n < DESIGNS; n++) await done(editor.post('/api/pattern', design(`design ${n}`)));
  for (let n = 0; n < FILTERS; n++) await done(editor.upload('/api/filter', `${n}.wasm`, module(), { workspace_id: workspace.id })); // prettier-ignore
}, 60_000);
afterAll(() => world.stop());

/** A design of some 200 KB that hardly packs. */
const design = (name: string): object => ({
  name,
  workspace_id: workspace.id,
  pattern_data: {
    pattern_file: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {blob: ${randomBytes(100 * KB).toString('hex')}}\n`,
  },
});

/** A module of some 250 KB: nothing but a custom section. */
function module(): Uint8Array {
  const content = Buffer.concat([Buffer.from([1, 0x61]), randomBytes(250 * KB)]);
  const length = [0, 7, 14].map((shift) => ((content.length >> shift) & 127) | (shift < 14 ? 128 : 0));
  return Buffer.concat([Buffer.from([...HEADER, 0, ...length]), content]);
}

/** Runs the work, and answers by how much the heap and all buffers have grown at most during it. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
  const before = used();
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, used() - before)), 5);
  await work();
  clearInterval(timer);
  return most / KB / KB;
}

const aliases = (count: number, field: string): string =>
  Array.from({ length: count }, (_, n) => `a${n}: ${field}`).join(' ');
const page = (size: number, fields: string): string =>
  `fetchPatterns(selector: {page: "0", pageSize: "${size}"}) { total_count patterns { ${fields} } }`;
const codesOf = (body: Json): Set<string> => new Set(body.errors?.map((error: Json) => error.extensions.code));

describe('Contents in GraphQL', () => {
  it('weigh in the cost of an operation as forty fields, under every name', async () => {
    const { body } = await editor.graphql(`{ ${page(20, aliases(20, 'pattern_file'))} }`);
    expect(body.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_COSTLY', actual: 3 + 20 * 800 });
    const twice = await editor.graphql(`{ ${page(100, 'pattern_file pattern_file')} }`);
    expect(twice.body.errors[0].extensions).toMatchObject({ code: 'QUERY_TOO_COSTLY', actual: 3 + 100 * 80 });
  });

  it('are not read when they are not asked for', async () => {
    const vault = world.get(Vault);
    const open = vault.open.bind(vault);
    let opened = 0;
    vault.open = (...given) => {
      opened++;
      return open(...given);
    };
    const { body } = await editor.graphql(
      `{ ${page(100, 'id name')} fetchFilters(selector: {page: "0", pageSize: "100"}) { filters { id name } } }`,
    );
    expect(body.data.fetchPatterns.patterns).toHaveLength(DESIGNS);
    expect(body.data.fetchFilters.filters).toHaveLength(FILTERS);
    expect(opened).toBe(0);
    await editor.graphql(`{ ${page(1, 'id pattern_file')} }`);
    expect(opened).toBe(1);
  });

  it('answer what fits, and else say what to do', async () => {
    const few = await editor.graphql(`{ ${page(4, 'name pattern_file')} }`);
    expect(few.body.errors).toBeUndefined();
    for (const { name, pattern_file } of few.body.data.fetchPatterns.patterns)
      expect(pattern_file).toContain(`name: ${name}`);
    const many = await editor.graphql(`{ ${page(12, 'name pattern_file')} }`);
    expect(many.body.errors[0].extensions).toMatchObject({
      code: 'ANSWER_TOO_LARGE',
      limit: LIMIT,
      errors: [{ pointer: 'pagesize' }],
      remedy: expect.stringContaining('pagesize') as string,
    });
  });

  it('count each time that they are shown', async () => {
    const { body } = await editor.graphql(`{ ${page(1, aliases(10, 'pattern_file'))} }`);
    expect(codesOf(body)).toEqual(new Set(['ANSWER_TOO_LARGE']));
  });

  it('take bounded memory however many operations ask for them under other names at a time', async () => {
    const attack = `{ ${aliases(10, page(12, 'pattern_file'))} }`;
    const sizes: number[] = [];
    const grown = await growthOf(async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => editor.graphql(attack)));
      for (const { body } of answers) {
        sizes.push(JSON.stringify(body).length);
        for (const code of codesOf(body)) expect(['ANSWER_TOO_LARGE', 'TOO_BUSY', 'QUERY_TOO_COSTLY']).toContain(code);
      }
    });
    expect(Math.max(...sizes)).toBeLessThan(2 * LIMIT);
    expect(grown).toBeLessThan(150);
    await until(() => world.get(ResponseBudget).usedBytes === 0);
  });

  it('of filters are bounded by the same rule', async () => {
    const ask = (size: number) =>
      editor.graphql(`{ fetchFilters(selector: {page: "0", pageSize: "${size}"}) { filters { name filter_file } } }`);
    expect((await ask(2)).body.errors).toBeUndefined();
    expect(codesOf((await ask(6)).body)).toEqual(new Set(['ANSWER_TOO_LARGE']));
  });

  it('come with subscribeConfiguration only when they are asked for, within the same bound', async () => {
    const socket = editor.socket();
    const first = async (fields: string): Promise<Json> => {
      const selector = '{page: "0", pageSize: "12"}';
      const query = `subscription { subscribeConfiguration(patternSelector: ${selector}, filterSelector: ${selector}) { patterns { patterns { ${fields} } } } }`;
      for await (const message of socket.iterate({ query })) return message;
    };
    expect((await first('id')).data.subscribeConfiguration.patterns.patterns).toHaveLength(DESIGNS);
    expect(codesOf(await first('id pattern_file'))).toEqual(new Set(['ANSWER_TOO_LARGE']));
    await socket.dispose();
    await until(() => world.get(ResponseBudget).usedBytes === 0);
  });
});

describe('Contents in REST', () => {
  it.each([
    ['designs', () => '/api/pattern?populate=pattern_file'],
    ['sources of designs', () => '/api/pattern?populate=source_content'],
    ['designs of a workspace', () => `/api/workspaces/${workspace.id}/designs?populate=pattern_file,source_content`],
    ['filters', () => '/api/filter?populate=filter_file'],
  ])('of %s come with a page of those that fit; a larger page is 400 and names pagesize', async (_, path) => {
    expect((await editor.get(`${path()}&pagesize=2`)).status).toBe(200);
    const { status, body } = await editor.get(`${path()}&pagesize=12`);
    expect([status, body.code]).toEqual([400, 'ANSWER_TOO_LARGE']);
    expect(body.errors).toMatchObject([{ pointer: 'pagesize' }]);
  });

  it('of one record come whatever their size is', async () => {
    const large = { ...design('large'), pattern_data: { pattern_file: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {blob: ${'x'.repeat(2 * LIMIT)}}\n` } }; // prettier-ignore
    const { id } = await done(editor.post('/api/pattern', large));
    expect((await editor.get(`/api/pattern/${id}`)).body.pattern_file.length).toBeGreaterThan(2 * LIMIT);
    expect((await editor.get(`/api/pattern/${id}/versions/1`)).body.pattern_file.length).toBeGreaterThan(2 * LIMIT);
    await done(world.admin.delete(`/api/pattern/${id}`));
  });
});

describe('What costs before it is measured', () => {
  const codeOf = async (query: string): Promise<string | undefined> =>
    (await editor.graphql(query)).body.errors?.[0].extensions.code;

  it('is the introspection, whose standard query alone is exempt', async () => {
    for (const options of [
      {},
      { descriptions: false },
      { specifiedByUrl: true, inputValueDeprecation: true, oneOf: true },
    ])
      expect((await editor.graphql(getIntrospectionQuery(options))).body.data.__schema.types.length).toBeGreaterThan(
        20,
      );
    expect(await codeOf(`{ ${aliases(200, '__schema { queryType { name } }')} }`)).toBe('TOO_MANY_ALIASES');
    expect(await codeOf(`{ ${aliases(10, '__schema { types { name fields { name } } }')} }`)).toBe('QUERY_TOO_COSTLY');
    expect(await codeOf('{ __type(name: "Event") { name fields { name } } }')).toBeUndefined();
  });

  it('is the document, which is bounded in length, tokens and parts', async () => {
    expect(await codeOf(`{ me { id } } #${'x'.repeat(60_000)}`)).toBe('DOCUMENT_TOO_LARGE');
    expect(await codeOf(`{ me { ${'id '.repeat(3_000)} } }`)).toBe('GRAPHQL_PARSE_FAILED');
    const fragments = Array.from({ length: 60 }, (_, n) => `fragment F${n} on Profile { id ...F${n + 1} }`).join(' ');
    expect(await codeOf(`{ me { ...F0 } } ${fragments} fragment F60 on Profile { id }`)).toBe('DOCUMENT_TOO_LARGE');
  });

  it('is what it has wrong, of which a hundred errors are listed', async () => {
    const { body } = await editor.graphql(`{ ${Array.from({ length: 500 }, (_, n) => `x${n}`).join(' ')} }`);
    expect(body.errors.length).toBeLessThanOrEqual(101);
  });

  it('is the same over sockets', async () => {
    const socket = editor.socket();
    const refused = async (query: string): Promise<Json> => {
      try {
        for await (const message of socket.iterate({ query })) return message;
      } catch (errors) {
        return errors;
      }
    };
    const code = async (query: string): Promise<string> => (await refused(query))[0].extensions.code as string;
    expect(await code(`{ me { id } } #${'x'.repeat(60_000)}`)).toBe('DOCUMENT_TOO_LARGE');
    expect(await code(`{ ${aliases(200, '__schema { queryType { name } }')} }`)).toBe('TOO_MANY_ALIASES');
    expect(await code(`{ ${page(500, 'pattern_file')} }`)).toBe('QUERY_TOO_COSTLY');
    await socket.dispose();
  });
});

describe('The text of queries', () => {
  const long = 'x'.repeat(501);

  it.each([
    ['search', long],
    ['order', `name ${' '.repeat(200)}`],
    ['filter', JSON.stringify({ name: 'x'.repeat(4_000) })],
    ['cursor', 'x'.repeat(4_001)],
    ['populate', long],
  ])('is bounded: %s', async (name, value) => {
    const { status, body } = await editor.get(`/api/pattern?${new URLSearchParams({ [name]: value }).toString()}`);
    expect([status, body.errors[0].pointer]).toEqual([400, name]);
    expect(body.errors[0].detail).toMatch(/must have at most \d+ characters/);
  });

  it.each([
    ['a page filter', `{ fetchPatterns(selector: {page: "0", pageSize: "1", search: "${long}"}) { total_count } }`],
    ['the arguments of a list', `{ environments(search: "${long}") { total_count } }`],
    [
      'a catalog selector',
      `{ fetchPatternCatalogContent(selector: {page: "0", pagesize: "1", search: "${long}", order: ""}) { id } }`,
    ],
    [
      'words of a catalog selector',
      `{ fetchFilterCatalogContent(selector: {page: "0", pagesize: "1", search: "", order: "", technology: ["${long}"]}) { id } }`,
    ],
  ])('is bounded in %s', async (_, query) => {
    const { body } = await editor.graphql(query);
    expect(body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect(body.errors[0].message).toMatch(/at most 500 characters/);
  });
});

describe('Lists in lists', () => {
  it('count as they are answered, and are refused where they go over the limit', async () => {
    const { admin, organization } = world;
    const ids: string[] = [];
    for (let n = 0; n < 8; n++)
      ids.push(
        (await done(admin.post('/api/workspaces', { name: `w${n}`, organization_id: organization }))).id as string,
      );
    await world.sql(
      `WITH made AS (INSERT INTO environment (id, organization_id, name, owner)
         SELECT gen_random_uuid(), $1, 'e' || n, $2 FROM generate_series(1, 100) n RETURNING id)
       INSERT INTO workspace_environment (id, organization_id, workspace_id, environment_id)
         SELECT gen_random_uuid(), $1, w.id, made.id FROM made, unnest($3::uuid[]) w(id)`,
      [organization, admin.id, ids],
    );
    const query = (fields: string): string =>
      `{ workspaces(orgID: "${organization}", pagesize: 50, search: "w") { workspaces { id environments { ${fields} } } } }`;
    const few = await admin.graphql(query('id name'));
    expect(few.body.errors).toBeUndefined();
    const lists = few.body.data.workspaces.workspaces.map((each: Json) => each.environments.length as number);
    expect(lists.filter((length: number) => length === 100)).toHaveLength(8);

    const many = await admin.graphql(query('id name status tier created_at updated_at owner'));
    expect(codesOf(many.body)).toEqual(new Set(['QUERY_TOO_COSTLY']));
    expect(many.body.errors[0].extensions).toMatchObject({ limit: 5000 });
    expect(many.body.errors[0].extensions.remedy).toContain('smaller page');
    expect((await admin.graphql(query('id name'))).body.errors).toBeUndefined();
  });

  it('are not validated when a document asks for the same again and again', async () => {
    const { body, status } = await editor.graphql(`{ ${'me { id } '.repeat(490)} }`);
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'DOCUMENT_TOO_LARGE']);
  });
});
