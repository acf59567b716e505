import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { validate } from '@readme/openapi-parser';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  buildSchema,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isSpecifiedScalarType,
  type GraphQLType,
} from 'graphql';
import type { Json } from './support/person.js';
import { FROM_SOURCE } from './support/programs.js';

const OPENAPI = 'docs/api/openapi.json';
const SCHEMA = 'docs/api/schema.graphql';

let documents: Record<string, string>;
let openapi: Json;
beforeAll(async () => {
  // In a process of its own: test files share a thread, and so the types that decorators register.
  const { stdout } = await promisify(execFile)(process.execPath, [...FROM_SOURCE, 'scripts/api-write.ts', '--print'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  documents = JSON.parse(stdout) as Record<string, string>;
  openapi = JSON.parse(documents[OPENAPI] ?? '');
});

interface Operation {
  /** Method and path. */
  route: string;
  path: string;
  method: string;
  operation: Json;
}

const operations = (): Operation[] =>
  Object.entries<Json>(openapi.paths).flatMap(([route, methods]) =>
    Object.entries<Json>(methods).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${route}`,
      path: route,
      method,
      operation,
    })),
  );

const resolve = (value: Json): Json =>
  value?.$ref
    ? value.$ref
        .slice(2)
        .split('/')
        .reduce((at: Json, key: string) => at[key], openapi)
    : value;
const parametersOf = ({ operation }: Operation): Json[] => (operation.parameters ?? []).map(resolve);
const named = (operation: Operation, place: string): string[] =>
  parametersOf(operation)
    .filter((parameter) => parameter.in === place)
    .map(({ name }) => name);
const responsesOf = ({ operation }: Operation): [string, Json][] =>
  Object.entries(operation.responses).map(([status, response]) => [status, resolve(response)]);
const successesOf = (operation: Operation): [string, Json][] =>
  responsesOf(operation).filter(([status]) => status.startsWith('2') || status === '303');
const argumentsOf = (field: GraphQLField<unknown, unknown> | GraphQLInputField): readonly GraphQLArgument[] =>
  'args' in field ? field.args : [];
const fieldsOf = (type: GraphQLNamedType): (GraphQLField<unknown, unknown> | GraphQLInputField)[] =>
  isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
const namedTypeOf = (type: GraphQLType): GraphQLNamedType | undefined => getNamedType(type as GraphQLType | undefined);
/** Carries messages of a protocol of its own. */
const isMessage = (path: string): boolean => path === '/api/mcp';
const isProbe = ({ path }: Operation): boolean => path.startsWith('/healthz/');
const isOpen = ({ operation }: Operation): boolean => operation.security.length === 0;

/** The routes that break a rule, which a test expects to be none. */
const violations = (isKept: (operation: Operation) => boolean): string[] =>
  operations()
    .filter((operation) => !isKept(operation))
    .map(({ route }) => route);

/** The document as JSON with objects that have no members but those that it names. */
const closedObjects = (text: string): string =>
  JSON.stringify(
    JSON.parse(text, (_, value: Json) =>
      value?.properties && [value.type].flat().includes('object') ? { additionalProperties: false, ...value } : value,
    ),
  );

describe('the documents in the repository', () => {
  it.each([OPENAPI, SCHEMA])('%s is what "npm run api:write" writes', (file) => {
    expect(readFileSync(file, 'utf8')).toBe(documents[file]);
  });
});

describe('the OpenAPI document', () => {
  it('is valid for two validators that know nothing of each other', async () => {
    expect(await new Validator().validate(structuredClone(openapi))).toMatchObject({ valid: true });
    expect(await validate(structuredClone(openapi))).toMatchObject({ valid: true, warnings: [] });
  });

  it('describes many operations, each with a summary, a description and a tag', () => {
    expect(operations().length).toBeGreaterThan(150);
    expect(
      violations(({ operation: { summary, description } }) => summary?.length > 3 && description?.length > 10),
    ).toEqual([]);
    expect(violations(({ operation: { tags } }) => tags?.length === 1)).toEqual([]);
  });

  it('names operations by a verb and a noun, each once', () => {
    const ids = operations().map(({ operation }) => operation.operationId as string);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z]+([A-Z][a-z]*)+$/.test(id))).toEqual([]);
  });

  it('gives every success a schema, and every success a description', () => {
    expect(violations((each) => successesOf(each).length > 0)).toEqual([]);
    const isDescribed = ({ description, content }: Json): boolean =>
      description.length > 0 &&
      Object.keys(content ?? {}).length > 0 &&
      Object.values<Json>(content).every(({ schema }) => schema && Object.keys(schema).length > 0);
    const isEmpty = ({ description, content }: Json): boolean => description.length > 0 && content === undefined;
    const isSound = ([status, response]: [string, Json]): boolean =>
      ['204', '303'].includes(status) || response.description.endsWith(' without a body.')
        ? isEmpty(response)
        : isDescribed(response);
    expect(violations((each) => successesOf(each).every(isSound))).toEqual([]);
  });

  it('says of every list what is in it, which generators ask for', () => {
    const bare: string[] = [];
    JSON.stringify(openapi, (key, value: Json) => {
      if (value?.type === 'array' && value.items === undefined) bare.push(key);
      return value;
    });
    expect(bare).toEqual([]);
  });

  it('names the errors of every operation as problem documents', () => {
    const errors = (each: Operation) => responsesOf(each).filter(([status]) => Number(status) >= 400);
    const isProblem = ([, { description, content }]: [string, Json]) =>
      description && content['application/problem+json'].schema.$ref === '#/components/schemas/Problem';
    expect(violations((each) => isProbe(each) || errors(each).every(isProblem))).toEqual([]);
    const has = (each: Operation, ...statuses: string[]) =>
      statuses.every((status) => status in each.operation.responses);
    expect(violations((each) => isProbe(each) || has(each, '429', '500', '503'))).toEqual([]);
    expect(violations((each) => isOpen(each) || has(each, '401', '403'))).toEqual([]);
    expect(violations((each) => named(each, 'path').length === 0 || has(each, '400', '404'))).toEqual([]);
    const isId = (schema: Json): boolean => schema?.format === 'uuid' && !schema.readOnly;
    const namesRecord = (each: Operation): boolean =>
      parametersOf(each).some(({ schema }) => isId(schema)) ||
      Object.values<Json>(each.operation.requestBody?.content ?? {}).some(({ schema }) =>
        Object.values<Json>(resolve(schema).properties ?? {}).some(isId),
      );
    expect(operations().filter(namesRecord).length).toBeGreaterThan(150);
    expect(violations((each) => !namesRecord(each) || has(each, '404'))).toEqual([]);
    expect(violations((each) => !each.operation.requestBody || has(each, '400', '413', '415'))).toEqual([]);
    expect(violations((each) => !named(each, 'header').includes('If-Match') || has(each, '412'))).toEqual([]);
  });

  it('says which operations need no token, and that all others need one', () => {
    const open = operations().filter(isOpen);
    expect(open.map(({ operation }) => operation.operationId).sort()).toEqual([
      'checkLiveness',
      'checkReadiness',
      'confirmAccount',
      'finishConsoleSignIn',
      'getInvitation',
      'getVersion',
      'openConfirmation',
      'openPasswordReset',
      'refreshConsoleSession',
      'refreshToken',
      'requestPasswordReset',
      'resetPassword',
      'signIn',
      'signInToConsole',
      'signOutOfConsole',
      'startConsoleSignIn',
    ]);
    const schemes = (each: Operation) =>
      each.operation.security.map((requirement: object) => Object.keys(requirement)[0]);
    expect(violations((each) => isOpen(each) || schemes(each)[0] === 'bearer')).toEqual([]);
    const optional = operations().filter((each) => schemes(each).includes(undefined));
    expect(
      optional.filter(
        ({ path, operation }) =>
          !/meshmodels|registry|schema/.test(path) && operation.operationId !== 'acceptInvitation',
      ),
    ).toEqual([]);
  });

  it('gives headers where they are sent: limits, tags, places and keys of idempotency', () => {
    const headers = (each: Operation, status: string): string[] =>
      Object.keys(resolve(each.operation.responses[status])?.headers ?? {});
    expect(
      violations(
        (each) =>
          isProbe(each) || successesOf(each).every(([status]) => headers(each, status).includes('RateLimit-Remaining')),
      ),
    ).toEqual([]);
    for (const status of ['201', '202'])
      expect(
        violations(
          (each) =>
            isMessage(each.path) || !(status in each.operation.responses) || headers(each, status).includes('Location'),
        ),
      ).toEqual([]);
    expect(violations((each) => headers(each, '429').includes('Retry-After') || isProbe(each))).toEqual([]);
    const isWrite = (each: Operation) =>
      each.method !== 'get' && !isOpen(each) && each.operation.operationId !== 'acceptInvitation';
    expect(violations((each) => isWrite(each) === named(each, 'header').includes('Idempotency-Key'))).toEqual([]);
    const readsJson = (each: Operation) =>
      each.method === 'get' &&
      each.operation.responses['200'] &&
      resolve(each.operation.responses['200']).content['application/json'] &&
      !headers(each, '200').includes('Content-Disposition');
    expect(
      violations(
        (each) => !readsJson(each) || (headers(each, '200').includes('ETag') && '304' in each.operation.responses),
      ),
    ).toEqual([]);
  });

  const hasWords = ({ anyOf = [], ...schema }: Json): boolean =>
    [schema, ...anyOf].some((each: Json) => each.enum?.length > 1);

  it('describes every parameter, with a default or allowed words where they are bounded', () => {
    const parameters = operations().flatMap((each) =>
      parametersOf(each).map((parameter) => ({ route: each.route, ...parameter })),
    );
    expect(parameters.filter(({ description, schema }) => !description || !schema)).toEqual([]);
    expect(parameters.filter(({ name, schema }) => name === 'pagesize' && !(schema.default > 0))).toEqual([]);
    for (const name of ['entityType', 'async', 'export'])
      expect(parameters.filter((each) => each.name === name && !hasWords(each.schema))).toEqual([]);
    const repeated = violations(
      (each) =>
        new Set(parametersOf(each).map(({ name, in: place }) => `${place} ${name}`)).size === parametersOf(each).length,
    );
    expect(repeated).toEqual([]);
  });

  it('pages what answers a list and nothing else, and takes "all"', () => {
    const isPage = (each: Operation): boolean => JSON.stringify(schemaOf(each)).includes('"page_size"');
    const pages = (each: Operation): boolean => named(each, 'query').includes('page');
    expect(violations((each) => !pages(each) || isPage(each))).toEqual([]);
    const takesAll = (each: Operation): boolean => JSON.stringify(parametersOf(each)).includes('"all"');
    expect(violations((each) => !pages(each) || takesAll(each))).toEqual([]);
  });

  it('takes files in forms, and answers files as binary', () => {
    const form = (id: string): Json => resolve(findOperation(id).requestBody.content['multipart/form-data'].schema);
    const files = {
      importDesign: 'file',
      createFilter: 'file',
      updateDesign: 'file',
      updateFilter: 'file',
      registerPackage: 'file',
      registerKubeconfig: 'k8sfile',
    };
    for (const [id, field] of Object.entries(files))
      expect({ id, file: form(id).properties[field] }).toEqual({
        id,
        file: { type: 'string', format: 'binary' },
      });
    const forms = operations().filter(
      ({ operation }) =>
        operation.requestBody?.content['multipart/form-data'] &&
        !/(Alias|ByPatch)$/.test(operation.operationId as string),
    );
    expect(forms.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(files).sort());
    for (const id of ['downloadDesign', 'downloadFilter', 'exportModel'])
      for (const { schema } of Object.values<Json>(findOperation(id).responses['200'].content))
        expect({ id, schema }).toEqual({ id, schema: { type: 'string', format: 'binary' } });
  });

  it('offers "async" where long work goes on as an operation or a deployment', () => {
    const ids = operations()
      .filter((each) => named(each, 'query').includes('async'))
      .map(({ operation }) => operation.operationId);
    expect(ids.filter((id) => !id.endsWith('Alias')).sort()).toEqual([
      'approveDeployment',
      'deployDesign',
      'generateModels',
      'importDesign',
      'promoteDeployment',
      'purgeEvents',
      'registerPackage',
      'rollBackDeployment',
      'undeployDesign',
      'verifyAudit',
      'verifyInstallationAudit',
    ]);
    // A run of a performance test always goes on after its answer, and a notification of an agent has none.
    const isOwn = ({ path }: Operation): boolean => path.endsWith('/performance/profiles/{id}/run') || isMessage(path);
    expect(
      violations((each) => isOwn(each) || named(each, 'query').includes('async') === '202' in each.operation.responses),
    ).toEqual([]);
  });

  it('puts every operation under a tag that it describes, the deprecated ones under the last', () => {
    const names = openapi.tags.map(({ name }: Json) => name);
    expect(openapi.tags.filter(({ description }: Json) => !/^[A-Z].{15,}\.$/.test(description))).toEqual([]);
    expect([...new Set(operations().map(({ operation }) => operation.tags[0]))].sort()).toEqual([...names].sort());
    expect(openapi['x-tagGroups'].flatMap(({ tags }: Json) => tags)).toEqual(names);
    expect(names.slice(0, 7)).toEqual([
      'auth',
      'connections',
      'environments',
      'workspaces',
      'designs',
      'deployments',
      'events',
    ]);
    expect(
      violations(({ operation }) => Boolean(operation.deprecated) === (operation.tags[0] === names.at(-1))),
    ).toEqual([]);
  });

  it('links to operations that it has', () => {
    const links = [...(documents[OPENAPI] ?? '').matchAll(/\(#tag\/([^/)]+)\/(\w+)\)/g)];
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(([, tag, id = '']) => findOperation(id)?.tags[0] !== tag).map(([link]) => link)).toEqual([]);
  });

  it('gives every JSON body in each of its forms, and every JSON success, an example that its schema allows', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(JSON.parse(closedObjects(JSON.stringify(openapi))), 'openapi');
    const bodies = operations().flatMap(({ operation }) => {
      const successes = Object.entries<Json>(operation.responses).filter(([status]) => status.startsWith('2'));
      return [operation.requestBody, ...successes.map(([, response]) => response)].flatMap((body) =>
        body?.content?.['application/json'] ? [{ id: operation.operationId, ...body.content['application/json'] }] : [],
      );
    });
    expect(bodies.length).toBeGreaterThan(350);
    const isAllowed = ({ schema, examples = {} }: Json): boolean => {
      const isValid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')));
      const values = Object.values<Json>(examples).map((example) => resolve(example).value);
      return values.length > 0 && values.every((value) => isValid(value));
    };
    expect(bodies.filter((each) => !isAllowed(each)).map(({ id }) => id as string)).toEqual([]);
    const forms = (id: string) => Object.keys(findOperation(id).requestBody.content['application/json'].examples);
    expect(forms('importDesign')).toEqual(['file', 'url', 'next version', 'only parsed', 'what runs']);
    expect(forms('deployDesign')).toEqual(['example', 'plan', 'with a file', 'a file']);
  });

  it('has one template for each path, whatever its parameters are called', () => {
    const templates = Object.keys(openapi.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(templates.length - new Set(templates).size).toBe(0);
  });

  it('says of every value what fits its type, and of every object what it may hold', () => {
    const types: Record<string, string[]> = {
      string: ['format', 'minLength', 'maxLength', 'pattern'],
      array: ['items', 'minItems', 'maxItems'],
      object: ['properties', 'additionalProperties'],
      integer: ['minimum', 'maximum'],
    };
    const faults: string[] = [];
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const visit = (at: Json, place: string): void => {
      if (typeof at !== 'object' || at === null) return;
      const own: unknown[] = [at.type].flat();
      const isSchema = own.some(
        (type) => typeof type === 'string' && type !== 'null' && !place.endsWith('/properties'),
      );
      for (const [type, words] of Object.entries(types))
        for (const word of words)
          if (isSchema && word in at && !own.includes(type) && !(type === 'integer' && own.includes('number')))
            faults.push(`${place} ${word}`);
      if (isSchema && own.includes('object') && !('properties' in at) && !('additionalProperties' in at))
        faults.push(`${place} is an object of nothing`);
      if (isSchema && at.default !== undefined && !ajv.validate({ ...at }, at.default)) faults.push(`${place} default`);
      if (at.oneOf && at.default !== undefined && !ajv.validate({ oneOf: at.oneOf }, at.default))
        faults.push(`${place} default`);
      for (const [key, value] of Object.entries(at))
        if (key !== 'example' && key !== 'examples') visit(value, `${place}/${key}`);
    };
    visit(openapi, '');
    expect(faults).toEqual([]);
  });

  it('marks the other paths of an operation as deprecated twins', () => {
    const twins = operations().filter(({ operation }) => operation.deprecated);
    expect(
      twins.filter(({ path }) => !/^\/api\/(registry|system\/events|events\/subscribe|user\/performance)/.test(path)),
    ).toEqual([]);
    expect(
      violations(({ path, operation }) => !path.startsWith('/api/registry') || operation.deprecated === true),
    ).toEqual([]);
    const canonical = new Set(operations().map(({ operation }) => operation.operationId));
    expect(
      twins.filter(
        ({ operation: { operationId: id } }) => id.endsWith('Alias') && !canonical.has(id.slice(0, -'Alias'.length)),
      ),
    ).toEqual([]);
  });

  it('refers to every schema that it has', () => {
    const text = JSON.stringify(openapi);
    const names = Object.keys(openapi.components.schemas);
    expect(names.filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
    expect(text).not.toContain('"#/components/schemas/"');
  });

  const findOperation = (id: string): Json =>
    operations().find(({ operation }) => operation.operationId === id)?.operation;

  /** The schema of the JSON answer with the references of its first levels resolved. */
  const schemaOf = (each: Operation): Json => {
    const schema = successesOf(each)[0]?.[1].content['application/json']?.schema ?? {};
    const inline = (value: Json, depth: number): Json => {
      const at = resolve(value);
      for (const key of ['allOf', 'anyOf', 'oneOf'])
        if (at[key] && depth > 0) return at[key].map((part: Json) => inline(part, depth - 1));
      return at;
    };
    return inline(schema, 3);
  };
});

describe('the GraphQL schema', () => {
  const schema = () => buildSchema(documents[SCHEMA] ?? '');
  const types = (): GraphQLNamedType[] =>
    Object.values(schema().getTypeMap()).filter(({ name }) => !name.startsWith('__'));

  it('describes every type, field and argument', () => {
    const isRoot = ({ name }: GraphQLNamedType) => ['Query', 'Mutation', 'Subscription'].includes(name);
    const missing = types().flatMap((type) => [
      ...(type.description || isRoot(type) || isSpecifiedScalarType(type) ? [] : [type.name]),
      ...fieldsOf(type).flatMap((field) =>
        [field, ...argumentsOf(field)].flatMap(({ name, description }) =>
          description ? [] : [`${type.name}.${field.name} ${name}`],
        ),
      ),
    ]);
    expect(missing).toEqual([]);
  });

  it('has no type that no field reaches', () => {
    const reached = new Set<string>();
    const visit = (type: GraphQLNamedType | null | undefined): void => {
      if (!type || reached.has(type.name)) return;
      reached.add(type.name);
      for (const field of fieldsOf(type))
        for (const { type: used } of [field, ...argumentsOf(field)]) visit(namedTypeOf(used));
    };
    for (const root of [schema().getQueryType(), schema().getMutationType(), schema().getSubscriptionType()])
      visit(root);
    const own = types().filter((type) => isObjectType(type) || isInputObjectType(type) || isEnumType(type));
    expect(own.filter(({ name }) => !reached.has(name)).map(({ name }) => name)).toEqual([]);
  });
});
