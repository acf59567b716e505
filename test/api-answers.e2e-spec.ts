import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Json, Person } from './support/person.js';
import { NEW_DESIGN } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let openapi: Json;
let ajv: Ajv2020;
const walked = new Set<string>();

beforeAll(async () => {
  world = await World.start();
  openapi = (await world.stranger.get('/api/openapi.json')).body;
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(openapi, 'openapi');
});
afterAll(() => world.stop());

/** Calls a documented operation and expects of its answer what the document says of this status. */
async function call(
  operationId: string,
  options: { path?: Record<string, string>; query?: string; body?: Json; by?: Person; status?: number } = {},
): Promise<Answer> {
  const { path = {}, query = '', body, by = world.admin, status } = options;
  const [route, method] = find(operationId);
  const asked = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? '')) + query;
  const answer = await by.call(method.toUpperCase(), asked, { body });
  const documented = openapi.paths[route][method].responses[answer.status];
  expect({ operationId, status: answer.status, isDocumented: documented !== undefined }).toEqual({
    operationId,
    status: status ?? answer.status,
    isDocumented: true,
  });
  if (status === undefined && answer.status >= 300)
    throw new Error(`${operationId} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  expectConformity(operationId, route, method, answer);
  walked.add(operationId);
  return answer;
}

function find(operationId: string): [string, string] {
  for (const [route, methods] of Object.entries<Json>(openapi.paths))
    for (const [method, operation] of Object.entries<Json>(methods))
      if (operation.operationId === operationId) return [route, method];
  throw new Error(`the document has no ${operationId}`);
}

function expectConformity(operationId: string, route: string, method: string, { status, headers, body }: Answer): void {
  const escaped = route.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const response = openapi.paths[route][method].responses[status];
  const at = response.$ref ?? `#/paths/${escaped}/${method}/responses/${status}`;
  const shared = response.$ref ? openapi.components.responses[response.$ref.split('/').at(-1)] : response;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  expect({ operationId, types: Object.keys(shared.content) }).toMatchObject({ types: expect.arrayContaining([type]) });
  for (const name of Object.keys(shared.headers ?? {}).filter((each) => !/^(RateLimit|Idempotency)/.test(each)))
    expect({ operationId, name, isSent: headers.has(name) }).toEqual({ operationId, name, isSent: true });
  if (!type.includes('json')) return;
  const validate = schemaAt(`openapi${at}/content/${type.replaceAll('/', '~1').replace('+', '%2B')}/schema`);
  validate(body);
  expect({
    operationId,
    errors: validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`),
  }).toEqual({
    operationId,
    errors: undefined,
  });
}

function schemaAt(reference: string): ValidateFunction {
  const found = ajv.getSchema(reference);
  if (!found) throw new Error(`no schema at ${reference}`);
  return found;
}

it('answers what the document says: identity', async () => {
  const { body: organization } = await call('createOrganization', { body: { name: 'Documented' } });
  const orgId = organization.id;
  await call('listOrganizations');
  await call('listOrganizations', { query: '?cursor=' });
  await call('getOrganization', { path: { orgId } });
  await call('getProfile');
  await call('listUsers');
  await call('getUser', { path: { id: world.admin.id } });
  const { body: invited } = await call('addOrganizationUser', {
    path: { orgId },
    body: { email: 'invited@example.org', role: 'member' },
  });
  await call('listInvitations', { path: { orgId } });
  const token = new URL(invited.invitation_url).pathname.split('/').at(-1) ?? '';
  await call('getInvitation', { path: { token }, by: world.stranger });
  await call('acceptInvitation', { path: { token }, by: world.stranger, body: { password: 'a long enough password' } });
  await call('listOrganizationUsers', { path: { orgId } });
  const { body: team } = await call('createTeam', { path: { orgId }, body: { name: 'Documented' } });
  await call('addTeamUser', { path: { orgId, teamId: team.id, userId: world.admin.id } });
  await call('listTeamUsers', { path: { orgId, teamId: team.id } });
  await call('listTeams', { path: { orgId } });
  const { body: account } = await call('createServiceAccount', {
    path: { orgId },
    body: { name: 'robot', role: 'member' },
  });
  const { body: minted } = await call('createServiceAccountToken', {
    path: { orgId, accountId: account.id },
    body: { name: 'ci', scopes: ['read'] },
  });
  await call('listServiceAccountTokens', { path: { orgId, accountId: account.id } });
  await call('revokeServiceAccountToken', { path: { orgId, accountId: account.id, id: minted.id } });
  await call('listServiceAccounts', { path: { orgId } });
  const { body: personal } = await call('createToken', { body: { name: 'documented', scopes: ['read'] } });
  await call('listTokens');
  await call('getToken', { path: { id: personal.id } });
  await call('revokeToken', { path: { id: personal.id } });
  await call('listAuditEntries', { path: { orgId } });
  await call('listAuditEntries', { path: { orgId }, query: '?cursor=&outcome=allowed' });
  await call('verifyAudit', { path: { orgId } });
  await call('listAuditCheckpoints', { path: { orgId } });
  await call('eraseAuditPersonalData', { path: { orgId }, body: { user_id: team.id } });
  await call('purgeEvents', { path: { orgId }, body: { through: '1', confirm: 'Documented' } });
  await call('eraseEventPersonalData', { path: { orgId }, body: { user_id: team.id } });
  await call('listInstallationAuditEntries');
  await call('verifyInstallationAudit');
  await call('listInstallationAuditCheckpoints');
  await call('signIn', {
    by: world.stranger,
    body: { email: 'nobody@example.org', password: 'wrong wrong wrong' },
    status: 401,
  });
});

it('answers what the document says: infrastructure', async () => {
  const organization_id = world.organization;
  const { body: environment } = await call('createEnvironment', {
    body: { name: 'documented', tier: 'development', organization_id },
  });
  const { body: credential } = await call('createCredential', {
    body: { name: 'documented', type: 'grafana', secret: { token: 'x' }, organization_id },
  });
  const { body: connection } = await call('createConnection', {
    body: { name: 'documented', kind: 'documented', type: 'a', sub_type: 'b', metadata: {}, organization_id },
  });
  const path = { environmentID: environment.id, connectionID: connection.id };
  await call('addEnvironmentConnection', { path });
  await call('listEnvironmentConnections', { path });
  await call('listEnvironments');
  await call('getEnvironment', { path: environment });
  await call('updateEnvironment', { path: environment, body: { description: 'as documented' } });
  await call('listConnections');
  await call('getConnection', { path: connection });
  await call('listConnectionKinds');
  await call('listCredentials');
  await call('getCredential', { path: credential });
  await call('listCredentialConnections', { path: credential });
  const { body: workspace } = await call('createWorkspace', { body: { name: 'documented', organization_id } });
  await call('assignWorkspaceEnvironment', { path: { id: workspace.id, envID: environment.id } });
  for (const id of [
    'getWorkspace',
    'listWorkspaceEnvironments',
    'listWorkspaceMembers',
    'listWorkspaceTeams',
    'getWorkspaceQuotas',
    'getWorkspacePermissions',
    'listWorkspaceDesigns',
    'listWorkspaceActivity',
  ])
    await call(id, { path: workspace });
  await call('listWorkspaces', { query: `?orgID=${organization_id}` });
  await call('listDeployments');
  await call('listClusterResources');
  await call('getClusterResourcesSummary');
  await call('getEnvironment', { path: { id: 'no-id' }, status: 400 });
  await call('getEnvironment', { path: { id: world.admin.id }, status: 404 });
  await call('createEnvironment', { body: { name: '' }, status: 400 });
});

it('answers what the document says: freezes, policies and webhooks', async () => {
  const organization_id = world.organization;
  const { body: environment } = await call('createEnvironment', { body: { name: 'frozen', organization_id } });
  const { body: workspace } = await call('createWorkspace', { body: { name: 'governed', organization_id } });
  const { body: freeze } = await call('createFreeze', {
    path: environment,
    body: { name: 'release', starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-02T00:00:00Z' },
  });
  const inEnvironment = { id: environment.id, freezeId: freeze.id };
  await call('listFreezes', { path: environment });
  await call('getFreeze', { path: inEnvironment });
  await call('updateFreeze', { path: inEnvironment, body: { message: 'as documented' } });
  await call('deleteFreeze', { path: inEnvironment });
  const { body: policy } = await call('createPolicy', {
    path: workspace,
    body: { name: 'named', expression: 'component.metadata.name != ""', mode: 'warn' },
  });
  const ofPolicy = { id: workspace.id, policyId: policy.id };
  await call('listPolicies', { path: workspace });
  await call('getPolicy', { path: ofPolicy });
  await call('updatePolicy', { path: ofPolicy, body: { enabled: false } });
  await call('deletePolicy', { path: ofPolicy });
  const { body: webhook } = await call('createWorkspaceWebhook', {
    path: workspace,
    body: { url: 'https://receiver.example/hooks', events: ['design.*'], enabled: false },
  });
  const ofWebhook = { id: workspace.id, webhookId: webhook.id };
  await call('listWorkspaceWebhooks', { path: workspace });
  await call('getWorkspaceWebhook', { path: ofWebhook });
  await call('updateWorkspaceWebhook', { path: ofWebhook, body: { events: ['*'] } });
  await call('rotateWorkspaceWebhookSecret', { path: ofWebhook });
  await call('listWorkspaceWebhookDeliveries', { path: ofWebhook });
  await call('deleteWorkspaceWebhook', { path: ofWebhook });
});

it('answers what the document says: designs and filters', async () => {
  const { body: design } = await call('createDesign', { body: NEW_DESIGN });
  await call('createDesign', { body: { ...NEW_DESIGN, save: false }, status: 200 });
  for (const id of [
    'getDesign',
    'validateDesign',
    'renderDesignDiagram',
    'downloadDesign',
    'listDesignVersions',
    'compareDesignVersions',
    'listDesignDeployments',
  ])
    await call(id, { path: design });
  await call('getDesignVersion', { path: { id: design.id, number: '1' } });
  const { headers } = await call('createDesignSnapshot', { path: design, body: { name: 'documented' } });
  expect((await world.admin.get(headers.get('location') ?? '')).status).toBe(200);
  await call('listDesignSnapshots', { path: design });
  const copy = await call('cloneDesign', { path: design, body: {} });
  expect(copy.headers.get('location')).toBe(`/api/pattern/${copy.body.id}`);
  expect((await world.admin.get(copy.headers.get('location') ?? '')).body.id).toBe(copy.body.id);
  await call('deleteDesign', { path: { id: copy.body.id } });
  for (const id of ['listDesigns', 'listDesignTypes', 'listCatalogDesigns', 'listFilters', 'listCatalogFilters'])
    await call(id);
  const imported = await world.admin.upload(
    '/api/pattern/import',
    'a.yaml',
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
  );
  expect({ status: imported.status, location: imported.headers.get('location') }).toEqual({
    status: 201,
    location: `/api/pattern/${imported.body.id}`,
  });
  expectConformity('importDesign', ...find('importDesign'), imported);
});

it('answers what the document says: the registry, events and the system', async () => {
  const { body: registered } = await call('registerComponents', {
    body: {
      modelName: 'documented',
      version: 'v1.0.0',
      components: [
        {
          kind: 'Thing',
          apiVersion: 'example.org/v1',
          schema: { type: 'object', properties: { spec: { type: 'object' } } },
        },
      ],
    },
  });
  expect(registered.components).toHaveLength(1);
  for (const id of [
    'listModels',
    'listComponents',
    'listRelationships',
    'listRegistrants',
    'listCategories',
    'getRegistrySummary',
  ])
    await call(id);
  for (const id of ['listModels', 'listComponents']) await call(id, { query: '?pagesize=all' });
  const category = (await world.admin.get('/api/meshmodels/models?search=documented')).body.models[0].category.name;
  const path = { model: 'documented', name: 'Thing', category, resourceName: 'Thing', entityType: 'component' };
  for (const id of [
    'listModelVersions',
    'listModelComponents',
    'listModelRelationships',
    'listComponentsByKind',
    'listModelComponentsByKind',
    'listCategoryModels',
    'listCategoryComponents',
    'getCategoryModel',
    'listCategoryModelComponents',
    'getCategoryModelComponent',
    'getResourceSchema',
  ])
    await call(id, { path });
  await call('exportModel', { query: '?model=documented' });
  await call('updateEntityStatus', { path, body: { id: registered.components[0].id, status: 'disabled' } });
  await call('validateResource', { body: { component: { apiVersion: 'v1', kind: 'Unknown' } } });
  await call('evaluateRelationships', { body: { design: { name: 'empty', components: [], relationships: [] } } });
  const { body: events } = await call('listEvents');
  await call('getEvent', { path: events.events[0] });
  await call('listEventTypes');
  await call('searchRecords', { query: '?q=documented' });
  for (const id of ['listAttention', 'listFavourites', 'getCaller']) await call(id);
  await call('callAgentTools', { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  await call('listNotifications');
  await call('updateNotifications', { body: { all: true } });
  const { body: settings } = await call('getNotificationSettings');
  await call('updateNotificationSettings', { body: settings });
  for (const id of ['checkLiveness', 'checkReadiness', 'getVersion']) await call(id, { by: world.stranger });
});

it('answers what the document says: performance tests', async () => {
  const { body: profile } = await call('createPerformanceProfile', {
    body: { name: 'documented', endpoints: ['http://no-such-name.invalid/'], qps: 1, duration: '1s' },
  });
  await call('listPerformanceProfiles');
  await call('listLoadGenerators');
  await call('getPerformanceProfile', { path: profile });
  await call('updatePerformanceProfile', { path: profile, body: { budget: { p99_ms: 200 } } });
  const { body: run } = await call('runPerformanceProfile', { path: profile, body: {} });
  await call('getPerformanceRun', { path: run });
  await call('listPerformanceRuns');
  await call('listPerformanceProfileResults', { path: profile });
  await call('listPerformanceResults');
  await call('getPerformanceResult', { path: { id: world.admin.id }, status: 404 });
  const nothing = `?a=${run.id}&b=${run.id}`;
  await call('comparePerformanceResults', { query: nothing, status: 404 });
  await call('deletePerformanceProfile', { path: profile });
});

it('has walked more than half of the operations', () => {
  const ids = Object.values<Json>(openapi.paths).flatMap((methods) =>
    Object.values<Json>(methods).map(({ operationId }) => operationId as string),
  );
  expect(walked.size).toBeGreaterThan(ids.filter((id) => !/(Alias|ByPatch)$/.test(id)).length / 2);
});
