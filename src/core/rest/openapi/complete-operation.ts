import { STATUS_CODES } from 'node:http';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { DocumentedRoute } from './documented-routes.js';
import {
  type ErrorStatus,
  errorRef,
  headerRefs,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  PATH_PARAMETERS,
  RATE_LIMIT_HEADERS,
  type ResponseObject,
} from './shared-components.js';

export type Method = 'get' | 'post' | 'put' | 'delete';
export type OperationObject = NonNullable<OpenAPIObject['paths'][string][Method]>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type SchemaObject = Exclude<Schemas[string], { $ref: string }>;
type MediaTypes = Record<string, { schema?: Schemas[string]; example?: unknown }>;

const BEARER = { bearer: [] };
const TAGGED_MEDIA_TYPES = ['application/json', 'image/svg+xml'];

/** Adds to an operation what guards, interceptors and middleware do on every route. */
export function completeOperation(
  method: Method,
  operation: OperationObject,
  route: DocumentedRoute,
  schemas: Schemas,
): void {
  const writes = method !== 'get' && !route.isPublic;
  operation.security = securityOf(route);
  describeParameters(operation);
  const errors = errorsOf(operation, route, writes, schemas);
  if (route.fileFields.length > 0) addFileFields(operation, route.fileFields, schemas);
  for (const [status, response] of Object.entries(operation.responses))
    if (response && 'description' in response) completeResponse(method, status, response, route, writes);
  if (method === 'get' && isTagged(operation.responses['200'] as ResponseObject | undefined)) {
    addParameter(operation, IF_NONE_MATCH);
    operation.responses['304'] = NOT_MODIFIED;
  }
  if (writes) addParameter(operation, IDEMPOTENCY_KEY);
  for (const status of errors) operation.responses[status] ??= errorRef(status);
}

function securityOf({ isPublic, isRegistryRead, operation }: DocumentedRoute): Record<string, string[]>[] {
  if (isRegistryRead || operation?.bearer === 'optional') return [BEARER, {}];
  return isPublic ? [] : [BEARER];
}

function errorsOf(
  operation: OperationObject,
  route: DocumentedRoute,
  writes: boolean,
  schemas: Schemas,
): ErrorStatus[] {
  const parameters = (operation.parameters ?? []) as { name: string; in: string }[];
  const notes = route.operation;
  const found: [ErrorStatus, boolean][] = [
    [400, parameters.length > 0 || operation.requestBody !== undefined || writes],
    [401, !route.isPublic || notes?.bearer === 'optional'],
    [403, !route.isPublic],
    [404, parameters.some((each) => each.in === 'path') || namesRecord(operation, schemas)],
    [409, writes],
    [412, parameters.some(({ name }) => name === 'If-Match')],
    [413, operation.requestBody !== undefined],
    [415, operation.requestBody !== undefined],
    [422, writes],
    [429, !notes?.probe],
    [500, !notes?.probe],
    // The issuer whose tokens are accepted cannot be reached.
    [502, !route.isPublic],
    [503, !notes?.probe],
  ];
  return [...found.flatMap(([status, isGiven]) => (isGiven ? [status] : [])), ...(notes?.errors ?? [])];
}

/**
 * Reports whether a parameter or body field is the id of a record, such as the organization, that the caller must be
 * able to see.
 */
function namesRecord({ parameters = [], requestBody }: OperationObject, schemas: Schemas): boolean {
  if (parameters.some((each) => 'schema' in each && isId(each.schema))) return true;
  const content = requestBody && 'content' in requestBody ? Object.values(requestBody.content) : [];
  return content.some(({ schema }) => {
    const fields = schema && '$ref' in schema ? schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
    return fields !== undefined && 'properties' in fields && Object.values(fields.properties ?? {}).some(isId);
  });
}

const isId = (schema: Schemas[string] | undefined): boolean =>
  schema !== undefined && 'format' in schema && schema.format === 'uuid';

function completeResponse(
  method: Method,
  status: string,
  response: ResponseObject,
  route: DocumentedRoute,
  writes: boolean,
): void {
  response.description ||= STATUS_CODES[status] ?? status;
  const tagged = method === 'get' ? isTagged(response) : route.answersRecord(status);
  const names = [
    ...(tagged ? ['ETag'] : []),
    ...(status === '201' || status === '202' ? ['Location'] : []),
    ...(isFile(response) ? ['Content-Disposition'] : []),
    ...(writes ? ['Idempotency-Replayed'] : []),
    ...(route.operation?.probe ? [] : RATE_LIMIT_HEADERS),
  ];
  if (names.length > 0) response.headers = { ...headerRefs(names), ...response.headers };
}

const isTagged = (response: ResponseObject | undefined): boolean =>
  TAGGED_MEDIA_TYPES.some((type) => response?.content?.[type] !== undefined) && !isFile(response);

/** Downloads are binary or have several media types. */
const isFile = (response: ResponseObject | undefined): boolean =>
  Object.values(response?.content ?? {}).some(
    ({ schema }) => schema !== undefined && 'format' in schema && schema.format === 'binary',
  );

export function addParameter(operation: OperationObject, parameter: { $ref: string }): void {
  operation.parameters = [...(operation.parameters ?? []), parameter];
}

function describeParameters(operation: OperationObject): void {
  for (const parameter of operation.parameters ?? []) {
    if (!('in' in parameter)) continue;
    if (parameter.in === 'path') parameter.description ??= PATH_PARAMETERS[parameter.name];
    // Of a property that overrides another one, what is said of the other one is kept beside the alternatives.
    const { schema } = parameter;
    if (parameter.in === 'query' && !parameter.required && schema && isConstrained(schema))
      parameter.allowEmptyValue = true;
    if (schema && 'oneOf' in schema) parameter.schema = { oneOf: schema.oneOf, default: schema.default as unknown };
  }
}

/** Free text may be empty anyhow. */
const isConstrained = (schema: Schemas[string]): boolean =>
  '$ref' in schema ||
  ['enum', 'format', 'pattern', 'oneOf', 'anyOf', 'minimum', 'minLength'].some((name) => name in schema);

/**
 * Adds the multipart form of an operation as a schema of its own: the fields of the JSON body as text, with files besides
 * or instead of a field. It is listed first.
 */
function addFileFields({ requestBody }: OperationObject, names: readonly string[], schemas: Schemas): void {
  const body = requestBody as { content: MediaTypes };
  const form = body.content['multipart/form-data'];
  if (!form?.schema) return;
  const name = '$ref' in form.schema ? (form.schema.$ref.split('/').at(-1) ?? '') : '';
  const fields = schemas[name] as SchemaObject;
  const files = Object.fromEntries(names.map((each) => [each, { type: 'string', format: 'binary' }]));
  schemas[`${name}Form`] = { ...fields, properties: { ...fields.properties, ...files } };
  form.schema = { $ref: `#/components/schemas/${name}Form` };
  form.example = Object.fromEntries(names.map((each) => [each, '@file']));
  body.content = { 'multipart/form-data': form, ...body.content };
}
