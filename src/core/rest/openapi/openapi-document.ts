import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { addParameter, completeOperation, type Method, type OperationObject } from './complete-operation.js';
import { assertUniqueSchemas, findDocumentedRoutes } from './documented-routes.js';
import { ExampleComposer } from './examples.js';
import { closeInputSchemas } from './input-schemas.js';
import { FORMS } from '../../schema/field-examples.js';
import { DEPRECATED_TAG, describeTags } from './operation-groups.js';
import { ORGANIZATION_IN_QUERY, SHARED_COMPONENTS } from './shared-components.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type Schema = Schemas[string];
type SchemaObject = Exclude<Schema, { $ref: string }>;

const METHODS: readonly Method[] = ['get', 'post', 'put', 'delete'];

/** Links point to operations in the reference page. */
const DESCRIPTION = `Manages cloud native infrastructure: designs, environments, workspaces, deployments.

## The main job

1. [Sign in](#tag/auth/signIn) and send the \`access_token\` of the response as \`Authorization: Bearer …\`.
2. [Register a kubeconfig](#tag/connections/registerKubeconfig): each context becomes a connection.
3. [Create an environment](#tag/environments/createEnvironment) and
   [add the connection](#tag/environments/addEnvironmentConnection).
4. [Create a workspace](#tag/workspaces/createWorkspace) and
   [assign the environment](#tag/workspaces/assignWorkspaceEnvironment).
5. [Import a design](#tag/designs/importDesign): manifests, a Compose file, a chart, a Kustomization.
6. [Plan its deployment](#tag/deployments/planDeployment), a dry run on the cluster, and
   [deploy that plan](#tag/deployments/deployDesign).
7. [Follow the events](#tag/events/streamEvents).
8. [Undeploy it](#tag/deployments/undeployDesign).

## Changes

\`PUT\` changes the fields that are sent and leaves the others. \`PATCH\` is served wherever \`PUT\` is, and does the same.

## Errors

Errors are problem documents (RFC 9457): \`detail\` says what is wrong, \`errors\` names every fault, \`remedy\` what to do.

## GraphQL

GraphQL is served at \`/api/system/graphql/query\`, with a [playground](system/graphql/playground).`;

const BEARER = `An access token, which [signing in](#tag/auth/signIn) with an address and a password returns
(\`POST /api/auth/login\`) and which is valid for \`expires_in\` seconds, or a personal access token, which
[\`POST /api/identity/tokens\`](#tag/tokens/createToken) returns once.`;

/** `@nestjs/swagger` marks several paths of a handler by an index. */
const PATH_INDEX = /\[\d+\]$/;

/**
 * Builds the OpenAPI 3.1 document of the server from decorators. `completeOperation` adds what guards and
 * interceptors do on all routes: security, errors, headers.
 */
export function buildOpenApiDocument(app: INestApplication, baseUrl: string): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setTitle('Armature')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(baseUrl)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: BEARER })
    .addSecurityRequirements('bearer')
    .setOpenAPIVersion('3.1.0')
    .build();
  const document = SwaggerModule.createDocument(app, settings, {
    operationIdFactory: (controller, method) => `${controller}.${method}`,
  });
  const routes = findDocumentedRoutes(app);
  assertUniqueSchemas(routes.values());
  const known = new Set<string>();
  for (const [method, operation] of listOperations(document)) {
    const route = routes.get(operation.operationId?.replace(PATH_INDEX, '') ?? '');
    if (!route) continue;
    completeOperation(method, operation, route, document.components?.schemas ?? {});
    nameOperation(operation, route.operation?.id, known);
    if (operation.deprecated) operation.tags = [DEPRECATED_TAG];
  }
  for (const [, operation] of listOperations(document)) {
    const schema = findBodySchema(document, operation);
    if (operation.requestBody && schema) Object.assign(operation.requestBody, { required: isRequired(schema) });
    if (schema?.properties?.organization_id) addParameter(operation, ORGANIZATION_IN_QUERY);
  }
  const schemas = { ...document.components?.schemas, ...SHARED_COMPONENTS.schemas };
  const complete = {
    ...document,
    ...describeTags(),
    components: { ...document.components, ...SHARED_COMPONENTS, schemas, examples: {} },
  };
  addExamples(complete, schemas);
  closeInputSchemas(
    listOperations(complete).map(([, operation]) => operation),
    routes.values(),
    schemas,
  );
  addPatchOperations(complete);
  return complete;
}

/** PATCH is served wherever PUT is, and changes the same fields in the same way. */
function addPatchOperations({ paths }: OpenAPIObject): void {
  for (const path of Object.values(paths)) {
    const { put } = path;
    if (!put) continue;
    const { content } = (put.requestBody ?? {}) as { content?: MediaTypes };
    const json = content?.['application/json'];
    path.patch = {
      ...put,
      operationId: put.operationId && `${put.operationId}ByPatch`,
      description: `The same as PUT. ${put.description ?? ''}`.trim(),
      ...(json
        ? { requestBody: { ...put.requestBody, content: { ...content, 'application/merge-patch+json': json } } }
        : {}),
    };
  }
}

type MediaTypes = Record<string, { schema?: Schema; examples?: Record<string, object> }>;

/** Gives each JSON body an example of each of its forms, and each JSON response of success an example. */
function addExamples(
  document: OpenAPIObject & { components: { examples: Record<string, object> } },
  schemas: Schemas,
): void {
  const composer = new ExampleComposer(schemas);
  const { examples } = document.components;
  for (const [, { requestBody, responses }] of listOperations(document)) {
    const body = (requestBody as { content?: MediaTypes } | undefined)?.content?.['application/json'];
    if (body?.schema) body.examples = composer.composeForms(body.schema);
    for (const [status, response] of Object.entries(responses)) {
      const json = (response as { content?: MediaTypes }).content?.['application/json'];
      if (!status.startsWith('2') || !json?.schema) continue;
      const value = composer.compose(json.schema);
      const name = '$ref' in json.schema ? json.schema.$ref.split('/').at(-1) : undefined;
      if (name) examples[name] = { value };
      json.examples = { example: name ? { $ref: `#/components/examples/${name}` } : { value } };
    }
  }
  for (const schema of Object.values(schemas)) Reflect.deleteProperty(schema, FORMS);
}

export const listOperations = ({ paths }: OpenAPIObject): [Method, OperationObject][] =>
  Object.values(paths).flatMap((path) =>
    METHODS.flatMap((method): [Method, OperationObject][] => (path[method] ? [[method, path[method]]] : [])),
  );

/** Marks additional paths of a handler as deprecated aliases of the first one. */
function nameOperation(operation: OperationObject, id: string | undefined, known: Set<string>): void {
  if (id === undefined) return;
  const isTwin = known.has(id);
  operation.operationId = isTwin ? `${id}Alias` : id;
  if (isTwin) operation.deprecated = true;
  known.add(operation.operationId);
}

/** Returns the schema of the JSON body when it is an object. */
function findBodySchema({ components }: OpenAPIObject, { requestBody }: OperationObject): SchemaObject | undefined {
  const json = (requestBody as { content?: Record<string, { schema?: { $ref?: string } }> } | undefined)?.content?.[
    'application/json'
  ];
  const schema = components?.schemas?.[json?.schema?.$ref?.split('/').at(-1) ?? ''];
  return schema && 'type' in schema ? schema : undefined;
}

/** A body without required fields is optional. */
const isRequired = ({ required = [] }: SchemaObject): boolean => required.length > 0;
