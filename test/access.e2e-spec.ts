import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { type Scope, SCOPES } from '../src/core/access/actor.js';
import { type Operation, declaredOperations } from '../src/core/access/policy.js';
import { renderRoleTable } from '../src/core/access/role-table.js';
import { isRoleAtLeast, type Role } from '../src/core/access/roles.js';
import { RouteTable } from '../src/core/rest/route-table.js';
import { proxyFilter } from '../src/filters/wasm/module.fixture.js';
import { type Json, Person } from './support/person.js';
import { done, NEW_DESIGN, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

/** Routes that answer without a token. */
const OPEN =
  /^\/($|healthz\/|metrics$|download\/|api\/system\/version$|api\/auth\/(?!logout|link)|api\/notifications\/(unsubscribe\/|page$)|api\/docs|api\/openapi\.|api\/system\/graphql\/)/;

/**
 * Routes that ask for a token, and then for no right of their own: the refresh token of the body ends its session, the token of a call
 * is shown to whoever has it, and each tool for agents asks for the right of its record.
 */
const OF_SESSIONS = ['POST /api/auth/logout', 'GET /api/token', 'GET /api/user/token', 'POST /api/mcp'];

/** Where a role is asked, the least role that sees what is there, and the role that each person has there. */
const INSIDE: Record<keyof People, Role> = {
  stranger: 'none',
  outsider: 'none',
  member: 'none',
  viewer: 'viewer',
  editor: 'editor',
  admin: 'admin',
  organizationAdmin: 'organization_admin',
  owner: 'owner',
};
const MEMBERS: Record<keyof People, Role> = {
  ...INSIDE,
  member: 'member',
  viewer: 'member',
  editor: 'member',
  admin: 'member',
};
const PLACES = {
  /** A workspace, and what is in it or assigned to it. */
  workspace: { sees: 'viewer', roles: INSIDE },
  organization: { sees: 'member', roles: MEMBERS },
  /** What only admins of the organization know of. */
  administration: { sees: 'organization_admin', roles: MEMBERS },
} as const satisfies Record<string, { sees: Role; roles: Record<keyof People, Role> }>;

interface Call {
  /** In place of the ids that the scene has for the parameters of the path. */
  ids?: Record<string, string>;
  query?: string;
  body?: object;
}

interface Rule {
  operation: string;
  /** `anywhere` is what is asked of nobody's role: the caller's own things, and lists of what each may see. */
  at: keyof typeof PLACES | 'anywhere';
  call?: (scene: Scene) => Call;
  /** Makes what an allowed call will use up. */
  before?: (scene: Scene) => Promise<Record<string, string> | undefined>;
  /** Mends what an allowed call has changed. */
  after?: (scene: Scene) => Promise<unknown>;
  /** There is no record with this id: no caller learns more than that. */
  absent?: true;
}

interface Scene {
  world: World;
  workspace: WorkspaceScene;
  bystander: Person;
  ids: Record<string, string>;
  environment: Json;
  production: Json;
  loose: Json;
  design: Json;
  filter: Json;
  team: Json;
}

const rule = (operation: string, at: Rule['at'], call?: Rule['call'], more: Partial<Rule> = {}): Rule => ({
  operation,
  at,
  call,
  ...more,
});
const named = (): string => `named ${randomUUID()}`;
const inOrganization = ({ world }: Scene): Call => ({ query: `orgID=${world.organization}` });
const created =
  (fields: object = {}) =>
  ({ world }: Scene): Call => ({ body: { name: named(), organization_id: world.organization, ...fields } });
const renamed = (): Call => ({ body: { name: named() } });
const KUBECONFIG = 'apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\n';
const deployed =
  (environment: 'environment' | 'production', query = 'async=true') =>
  (scene: Scene): Call => ({ query, body: { id: scene.design.id, environment_id: scene[environment].id } });
const orgs = '/api/identity/orgs/:orgId';
const PAST_FREEZE = { name: 'past', starts_at: '2020-01-01T00:00:00Z', ends_at: '2020-01-02T00:00:00Z' };
const grantBystander = ({ workspace, world, bystander }: Scene) =>
  done(world.admin.put(`${workspace.path}/members/${bystander.id}`, { role: 'viewer' })).then(() => undefined);
const grantTeam = ({ workspace, world, team }: Scene) =>
  done(world.admin.put(`${workspace.path}/teams/${team.id}`, { role: 'viewer' })).then(() => undefined);
const joinBystander = async ({ world, bystander }: Scene): Promise<undefined> => {
  await world.admin.post(`/api/identity/orgs/${world.organization}/users`, { email: bystander.email, role: 'member' });
};

const newFilter = (workspace: WorkspaceScene) => ({
  name: 'headers',
  filter_data: { filter_file: proxyFilter().toString('base64') },
  workspace_id: workspace.id,
});
/** Nobody answers there. */
const NEW_WEBHOOK = { url: 'http://no-such-name.invalid/', events: ['policy.violation'] };
const ofFilter = ({ filter }: Scene): Call => ({ ids: { id: filter.id } });

/** Endpoints of workspaces and of organizations have the same routes, each with the rights of its own. */
function ofWebhooks(base: string, policy: string, at: Rule['at'], webhook: string): Record<string, Rule> {
  const named =
    (body?: object) =>
    ({ ids }: Scene): Call => ({
      ids: { webhookId: ids[webhook] ?? '', deliveryId: ids[`${webhook}Delivery`] ?? '' },
      body,
    });
  const one = `${base}/webhooks/:webhookId`;
  return {
    [`GET ${base}/webhooks`]: rule(`${policy}.read`, at),
    [`POST ${base}/webhooks`]: rule(`${policy}.create`, at, () => ({ body: NEW_WEBHOOK })),
    [`GET ${one}`]: rule(`${policy}.read`, at, named()),
    [`PUT ${one}`]: rule(`${policy}.update`, at, named({ enabled: true })),
    [`DELETE ${one}`]: rule(`${policy}.delete`, at, named()),
    [`POST ${one}/rotate`]: rule(`${policy}.rotate`, at, named()),
    [`POST ${one}/test`]: rule(`${policy}.send`, at, named()),
    [`POST ${one}/recover`]: rule(`${policy}.send`, at, named({ since: '2026-01-01T00:00:00Z' })),
    [`GET ${one}/deliveries`]: rule(`${policy}.read`, at, named()),
    [`GET ${one}/deliveries/:deliveryId`]: rule(`${policy}.read`, at, named()),
    [`POST ${one}/deliveries/:deliveryId/redeliver`]: rule(`${policy}.send`, at, named()),
  };
}

/** Performance tests have the same routes under two paths. */
function ofPerformance(base: string): Record<string, Rule> {
  const one = `${base}/profiles/:id`;
  const run = `${base}/runs/:id`;
  return {
    [`GET ${base}/profiles`]: rule('organization.read', 'organization', inOrganization),
    [`POST ${base}/profiles`]: rule('performance.create', 'workspace', ({ workspace }) => ({
      body: newProfile(workspace),
    })),
    [`GET ${base}/generators`]: rule('performance.read', 'anywhere'),
    [`GET ${one}`]: rule('performance.read', 'workspace'),
    [`PUT ${one}`]: rule('performance.update', 'workspace', renamed),
    [`DELETE ${one}`]: rule('performance.delete', 'workspace'),
    [`POST ${one}/run`]: rule('performance.run', 'workspace', () => ({ body: {} })),
    [`GET ${one}/results`]: rule('performance.read', 'workspace'),
    [`GET ${base}/results`]: rule('organization.read', 'organization', inOrganization),
    [`GET ${base}/results/:id`]: rule('performance.read', 'workspace'),
    [`GET ${base}/runs`]: rule('organization.read', 'organization', inOrganization),
    [`GET ${run}`]: rule('performance.read', 'workspace'),
    [`GET ${base}/results/:id/chart.svg`]: rule('performance.read', 'workspace'),
    [`GET ${base}/results/:id/histogram`]: rule('performance.read', 'workspace'),
    [`GET ${base}/compare`]: rule('performance.read', 'workspace', compared),
    [`GET ${base}/compare/chart.svg`]: rule('performance.read', 'workspace', compared),
    [`POST ${run}/cancel`]: rule('performance.cancel', 'workspace'),
  };
}
const compared = ({ ids }: Scene): Call => ({
  query: `a=${ids['/api/performance/results']}&b=${ids['/api/performance/results']}`,
});
const PERFORMANCE = ['/api/performance', '/api/user/performance'];
const newProfile = (workspace: WorkspaceScene) => ({
  name: named(),
  endpoints: ['http://no-such-name.invalid/'],
  duration: '1s',
  workspace_id: workspace.id,
});

/** The registry is one for the installation, under two paths: everyone reads it, installation administrators write it. */
function ofRegistry(base: string): Record<string, Rule> {
  const read = rule('registry.read', 'anywhere', () => ({ ids: PUBLISHED }));
  const reads = [
    'models', 'models/:model', 'categories/:category/models', 'categories/:category/models/:model',
    'components', 'components/:name', 'categories/:category/components', 'models/:model/components', 'models/:model/components/:name',
    'categories/:category/models/:model/components', 'categories/:category/models/:model/components/:name',
    'relationships', 'models/:model/relationships', 'registrants', 'categories', 'summary',
  ]; // prettier-ignore
  return {
    ...Object.fromEntries(reads.map((path) => [`GET ${base}/${path}`, read])),
    [`GET ${base}/export`]: rule('registry.read', 'anywhere', () => ({ query: `model=${PUBLISHED.model}` })),
    [`POST ${base}/register`]: rule('registry.register', 'anywhere', () => ({
      body: { file: Buffer.from(JSON.stringify(PUBLISHED_COMPONENT)).toString('base64'), register: false },
    })),
    [`POST ${base}/components`]: rule('registry.register', 'anywhere', () => ({
      body: { modelName: PUBLISHED.model, components: [PUBLISHED_COMPONENT] },
    })),
    [`POST ${base}/generate`]: rule('registry.generate', 'anywhere', () => ({
      body: { source: 'nothing that is known', config: { register: false } },
    })),
    [`POST ${base}/validate`]: rule('registry.validate', 'anywhere', () => ({ body: { component: {} } })),
    [`POST ${base}/relationships/evaluate`]: rule('registry.read', 'anywhere', () => ({ body: { design: {} } })),
    [`POST ${base}/:entityType/status`]: rule('registry.setStatus', 'anywhere', ({ ids }) => ({
      ids: { entityType: 'model' },
      body: { id: ids['publishedModel'], status: 'enabled' },
    })),
    [`DELETE ${base}/models/:model`]: rule('registry.delete', 'anywhere', undefined, {
      before: async ({ world }) => ({ model: await publish(world, `model-${randomUUID()}`) }),
    }),
  };
}

const PUBLISHED = { category: 'database', model: 'published', name: 'Thing' };
const PUBLISHED_COMPONENT = {
  kind: 'Thing',
  apiVersion: 'example.org/v1',
  schema: { type: 'object' },
  model: { name: PUBLISHED.model, version: '1.0.0', category: { name: 'Database' } },
};

async function publish({ admin }: World, name: string): Promise<string> {
  const model = { ...PUBLISHED_COMPONENT.model, name };
  const file = Buffer.from(JSON.stringify({ ...PUBLISHED_COMPONENT, model })).toString('base64');
  return (await done(admin.post('/api/meshmodels/register', { file }))).models[0].id as string;
}

/** Who may call what: a route that is not here fails the test. Several rules of one route are distinguished by a word. */
const RULES: Record<string, Rule> = {
  'GET /api/environments': rule('organization.read', 'organization', inOrganization),
  'POST /api/environments': rule('environment.create', 'organization', created()),
  'GET /api/environments/:id': rule('environment.read', 'workspace'),
  'PUT /api/environments/:id': rule('environment.update', 'workspace', renamed),
  'DELETE /api/environments/:id': rule('environment.delete', 'workspace'),
  'POST /api/environments/:id/archive': rule('environment.archive', 'workspace', undefined, {
    after: ({ world, environment }) => world.admin.post(`/api/environments/${environment.id}/restore`),
  }),
  'POST /api/environments/:id/restore': rule('environment.restore', 'workspace'),
  'GET /api/environments/:id/diagram.svg': rule('environment.read', 'workspace'),
  'GET /api/environments/:environmentID/connections': rule('environment.read', 'workspace'),
  'POST /api/environments/:environmentID/connections/:connectionID': rule('environment.connect', 'workspace'),
  'DELETE /api/environments/:environmentID/connections/:connectionID': rule(
    'environment.connect',
    'workspace',
    undefined,
    {
      after: ({ world, ids }) =>
        world.admin.post(`/api/environments/${ids['environmentID']}/connections/${ids['connectionID']}`),
    },
  ),

  'GET /api/environments/:id/freezes': rule('freeze.read', 'workspace'),
  'POST /api/environments/:id/freezes': rule('freeze.create', 'workspace', () => ({ body: PAST_FREEZE })),
  'GET /api/environments/:id/freezes/:freezeId': rule('freeze.read', 'workspace'),
  'PUT /api/environments/:id/freezes/:freezeId': rule('freeze.update', 'workspace', renamed),
  'DELETE /api/environments/:id/freezes/:freezeId': rule('freeze.delete', 'workspace'),

  'GET /api/integrations/connections': rule('organization.read', 'organization', inOrganization),
  'GET /api/integrations/connections/kinds': rule('connection.read', 'anywhere'),
  'POST /api/integrations/connections': rule('connection.create', 'organization', created({ kind: 'custom' })),
  'GET /api/integrations/connections/:id': rule('connection.read', 'workspace'),
  'PUT /api/integrations/connections/:id': rule('connection.update', 'workspace', renamed),
  'DELETE /api/integrations/connections/:id': rule('connection.delete', 'workspace'),
  'POST /api/integrations/connections/:id/restore': rule('connection.restore', 'workspace'),
  'POST /api/integrations/connections/:id/ping': rule('connection.ping', 'workspace'),
  'GET /api/integrations/connections/:id/rights': rule('cluster.readRights', 'workspace'),
  'GET /api/integrations/connections/:id/manifest': rule('cluster.readRights', 'workspace'),
  'POST /api/system/kubernetes': rule('connection.create', 'organization', (scene) => ({
    ...inOrganization(scene),
    body: { kubeconfig: KUBECONFIG },
  })),
  'GET /api/integrations/credentials': rule('organization.read', 'organization', inOrganization),
  'POST /api/integrations/credentials': rule(
    'credential.create',
    'organization',
    created({ type: 'custom', secret: { a: 1 } }),
  ),
  'GET /api/integrations/credentials/:id': rule('credential.read', 'administration'),
  'PUT /api/integrations/credentials/:id': rule('credential.update', 'administration', renamed),
  'DELETE /api/integrations/credentials/:id': rule('credential.delete', 'administration'),
  'GET /api/integrations/credentials/:id/connections': rule('credential.read', 'administration'),

  'GET /api/workspaces': rule('organization.read', 'organization', inOrganization),
  'POST /api/workspaces': rule('workspace.create', 'organization', created()),
  'GET /api/workspaces/:id': rule('workspace.read', 'workspace'),
  'PUT /api/workspaces/:id': rule('workspace.update', 'workspace', renamed),
  'DELETE /api/workspaces/:id': rule('workspace.delete', 'workspace'),
  'POST /api/workspaces/:id/archive': rule('workspace.archive', 'workspace', undefined, {
    after: ({ world, workspace }) => world.admin.post(`${workspace.path}/restore`),
  }),
  'POST /api/workspaces/:id/restore': rule('workspace.restore', 'workspace'),
  ...ofWebhooks('/api/workspaces/:id', 'webhook', 'workspace', 'webhook'),
  [`GET ${orgs}/events/export`]: rule('event_log.export', 'organization'),
  [`POST ${orgs}/events/purge`]: rule('event_log.purge', 'organization', () => ({
    body: { through: '0', confirm: '' },
  })),
  [`POST ${orgs}/events/erase`]: rule('event_log.erase', 'organization', () => ({ body: { user_id: randomUUID() } })),
  [`GET ${orgs}/audit`]: rule('audit.read', 'organization'),
  [`GET ${orgs}/audit/verify`]: rule('audit.read', 'organization'),
  [`GET ${orgs}/audit/export`]: rule('audit.read', 'organization'),
  [`GET ${orgs}/audit/checkpoints`]: rule('audit.read', 'organization'),
  [`POST ${orgs}/audit/erase`]: rule('audit.erase', 'organization', () => ({ body: { user_id: randomUUID() } })),
  'GET /api/system/audit': rule('installation_audit.read', 'anywhere'),
  'GET /api/system/audit/verify': rule('installation_audit.read', 'anywhere'),
  'GET /api/system/audit/export': rule('installation_audit.read', 'anywhere'),
  'GET /api/system/audit/checkpoints': rule('installation_audit.read', 'anywhere'),
  'POST /api/system/audit/erase': rule('installation_audit.erase', 'anywhere', () => ({
    body: { user_id: randomUUID() },
  })),
  'POST /api/system/events/erase': rule('installation_audit.erase', 'anywhere', () => ({
    body: { user_id: randomUUID() },
  })),
  ...ofWebhooks(orgs, 'organization_webhook', 'organization', 'organizationWebhook'),
  'GET /api/workspaces/:id/members': rule('workspace.readMembers', 'workspace'),
  'GET /api/workspaces/:id/members/:userId': rule('workspace.readMembers', 'workspace', undefined, {
    before: grantBystander,
  }),
  'PUT /api/workspaces/:id/members/:userId': rule('workspace.manageMembers', 'workspace', () => ({
    body: { role: 'viewer' },
  })),
  'DELETE /api/workspaces/:id/members/:userId': rule('workspace.manageMembers', 'workspace', undefined, {
    before: grantBystander,
  }),
  'GET /api/workspaces/:id/teams': rule('workspace.readMembers', 'workspace'),
  'GET /api/workspaces/:id/teams/:teamId': rule('workspace.readMembers', 'workspace', undefined, {
    before: grantTeam,
  }),
  'PUT /api/workspaces/:id/teams/:teamId': rule('workspace.manageMembers', 'workspace', () => ({
    body: { role: 'viewer' },
  })),
  'POST /api/workspaces/:id/teams/:teamId': rule('workspace.manageMembers', 'workspace', () => ({
    body: { role: 'viewer' },
  })),
  'DELETE /api/workspaces/:id/teams/:teamId': rule('workspace.manageMembers', 'workspace', undefined, {
    before: grantTeam,
  }),
  'GET /api/workspaces/:id/environments': rule('workspace.read', 'workspace'),
  'POST /api/workspaces/:id/environments/:envID': rule('workspace.assignEnvironment', 'workspace'),
  'DELETE /api/workspaces/:id/environments/:envID': rule(
    'workspace.unassignEnvironment',
    'workspace',
    ({ loose }) => ({ ids: { envID: loose.id } }),
    {
      before: ({ world, workspace, loose }) =>
        done(world.admin.post(`${workspace.path}/environments/${loose.id}`)).then(() => undefined),
    },
  ),
  'GET /api/workspaces/:id/designs': rule('design.read', 'workspace'),
  'POST /api/workspaces/:id/designs/:designID': rule('design.move', 'workspace'),
  'DELETE /api/workspaces/:id/designs/:designID': rule('design.move', 'workspace', undefined, {
    before: async ({ workspace }) => ({ designID: (await workspace.design()).id }),
  }),
  'GET /api/workspaces/:id/quotas': rule('workspace.readQuotas', 'workspace'),
  'PUT /api/workspaces/:id/quotas': rule('workspace.setQuotas', 'workspace', () => ({ body: { max_designs: null } })),
  'GET /api/workspaces/:id/policies': rule('policy.read', 'workspace'),
  'POST /api/workspaces/:id/policies': rule('policy.create', 'workspace', () => ({
    body: { name: named(), expression: 'true', mode: 'warn' },
  })),
  'POST /api/workspaces/:id/policies/try': rule('policy.try', 'workspace', ({ design }) => ({
    body: { expression: 'true', design_id: design.id },
  })),
  'GET /api/workspaces/:id/policies/:policyId': rule('policy.read', 'workspace'),
  'PUT /api/workspaces/:id/policies/:policyId': rule('policy.update', 'workspace', renamed),
  'DELETE /api/workspaces/:id/policies/:policyId': rule('policy.delete', 'workspace'),
  'GET /api/workspaces/:id/permissions': rule('workspace.read', 'workspace'),
  'GET /api/workspaces/:id/activity': rule('event.read', 'workspace'),

  'GET /api/pattern': rule('organization.read', 'organization', inOrganization),
  'GET /api/pattern/types': rule('design.read', 'anywhere'),
  'POST /api/pattern': rule('design.create', 'workspace', ({ workspace }) => ({
    body: { ...NEW_DESIGN, workspace_id: workspace.id },
  })),
  'POST /api/pattern/import': rule('design.create', 'workspace', ({ workspace }) => ({
    body: {
      file: Buffer.from(NEW_DESIGN.pattern_data.pattern_file).toString('base64'),
      file_name: 'a.yaml',
      workspace_id: workspace.id,
    },
  })),
  'POST /api/pattern/import on production': rule('design.importFromProduction', 'workspace', ({ workspace, ids }) => ({
    body: { connection_id: ids['connectionID'], workspace_id: workspace.id, namespaces: ['shop'], preview: true },
  })),
  'GET /api/pattern/catalog': rule('design.read', 'anywhere'),
  'POST /api/pattern/catalog/publish': rule(
    'design.publish',
    'workspace',
    ({ design }) => ({
      body: { id: design.id, catalog_data: { content_class: 'community', type: 'Workloads' } },
    }),
    { after: ({ world, design }) => done(world.admin.delete(`/api/pattern/catalog/unpublish?id=${design.id}`)) },
  ),
  'DELETE /api/pattern/catalog/unpublish': rule('design.publish', 'workspace', ({ design }) => ({
    query: `id=${design.id}`,
  })),
  'POST /api/pattern/clone/:id': rule('design.clone', 'workspace', ({ design }) => ({ ids: { id: design.id } })),
  'POST /api/patterns/delete': rule(
    'design.delete',
    'workspace',
    ({ design }) => ({ body: { patterns: [{ id: design.id }] } }),
    { after: ({ world, design }) => done(world.admin.post(`/api/pattern/${design.id}/restore`)) },
  ),
  'GET /api/pattern/:id/versions': rule('design.read', 'workspace'),
  'GET /api/pattern/:id/versions/:number': rule('design.read', 'workspace', () => ({ ids: { number: '1' } })),
  'POST /api/pattern/:id/versions/:number/restore': rule('design.update', 'workspace', () => ({
    ids: { number: '1' },
  })),
  'GET /api/pattern/:id/diff': rule('design.read', 'workspace'),
  'GET /api/pattern/:id/snapshots': rule('design.read', 'workspace'),
  'POST /api/pattern/:id/snapshots': rule('design.snapshot', 'workspace', () => ({ body: { name: named() } })),
  'GET /api/pattern/:id': rule('design.read', 'workspace'),
  'GET /api/pattern/:id/validate': rule('design.read', 'workspace'),
  'GET /api/pattern/:id/diagram.svg': rule('design.read', 'workspace'),
  'GET /api/pattern/download/:id': rule('design.read', 'workspace', ({ design }) => ({ ids: { id: design.id } })),
  'PUT /api/pattern/:id': rule('design.update', 'workspace', ({ design }) => ({
    ids: { id: 'yaml' },
    body: { id: design.id, name: 'settings' },
  })),
  'DELETE /api/pattern/:id': rule('design.delete', 'workspace'),
  'POST /api/pattern/:id/restore': rule('design.restore', 'workspace'),
  'GET /api/filter': rule('organization.read', 'organization', inOrganization),
  'POST /api/filter': rule('filter.create', 'workspace', ({ workspace }) => ({ body: newFilter(workspace) })),
  'GET /api/filter/:id': rule('filter.read', 'workspace'),
  'GET /api/filter/download/:id': rule('filter.read', 'workspace', ofFilter),
  'POST /api/filter/clone/:id': rule('filter.clone', 'workspace', ofFilter),
  'PUT /api/filter/:id': rule('filter.update', 'workspace', renamed),
  'DELETE /api/filter/:id': rule('filter.delete', 'workspace'),
  'POST /api/filter/:id/restore': rule('filter.restore', 'workspace'),
  'GET /api/filter/catalog': rule('filter.read', 'anywhere'),
  'POST /api/filter/catalog/publish': rule(
    'filter.publish',
    'workspace',
    ({ filter }) => ({
      body: { id: filter.id, catalog_data: { content_class: 'community', type: 'Security' } },
    }),
    { after: ({ world, filter }) => world.admin.delete(`/api/filter/catalog/unpublish?id=${filter.id}`) },
  ),
  'DELETE /api/filter/catalog/unpublish': rule('filter.publish', 'workspace', ({ filter }) => ({
    query: `id=${filter.id}`,
  })),

  'POST /api/pattern/deploy/plan': rule('deployment.plan', 'workspace', deployed('environment', '')),
  'POST /api/pattern/deploy/plan on production': rule('deployment.plan', 'workspace', deployed('production', '')),
  'POST /api/pattern/deploy': rule('deployment.deploy', 'workspace', deployed('environment')),
  'POST /api/pattern/deploy on production': rule('deployment.actOnProduction', 'workspace', deployed('production')),
  'DELETE /api/pattern/deploy': rule('deployment.deploy', 'workspace', deployed('environment')),
  'GET /api/pattern/:id/deployments': rule('deployment.read', 'workspace'),
  'GET /api/pattern/:id/drift': rule('deployment.read', 'workspace'),
  'GET /api/system/meshsync/resources': rule('resource.read', 'anywhere'),
  'GET /api/system/meshsync/resources/summary': rule('resource.read', 'anywhere'),
  'GET /api/system/meshsync/resources/:id': rule('resource.read', 'workspace'),
  'GET /api/deployments': rule('deployment.read', 'anywhere'),
  'GET /api/deployments/:id': rule('deployment.read', 'workspace'),
  'GET /api/deployments/:id/diagram.svg': rule('deployment.read', 'workspace'),
  'GET /api/deployments/:id/logs': rule('deployment.logs', 'workspace'),
  'GET /api/deployments/:id/plan': rule('deployment.read', 'anywhere', undefined, { absent: true }),
  'GET /api/plans/:plan_id': rule('deployment.read', 'anywhere', undefined, { absent: true }),
  'POST /api/deployments/:id/cancel': rule('deployment.cancel', 'workspace'),
  'POST /api/deployments/:id/cancel on production': rule('deployment.actOnProduction', 'workspace', ({ ids }) => ({
    ids: { id: ids['productionDeployment'] ?? '' },
  })),
  'POST /api/deployments/:id/approve': rule('deployment.approve', 'workspace'),
  'POST /api/deployments/:id/reject': rule('deployment.approve', 'workspace', () => ({ body: { reason: 'not now' } })),
  'POST /api/deployments/:id/promote': rule('deployment.deploy', 'workspace', ({ environment }) => ({
    body: { environment_id: environment.id },
  })),
  'POST /api/deployments/:id/rollback': rule('deployment.deploy', 'workspace', () => ({ body: {} })),

  'GET /api/telemetry/prometheus/:connectionID/ping': rule('connection.read', 'workspace'),
  'GET /api/telemetry/prometheus/:connectionID/query': rule('connection.read', 'workspace'),
  'GET /api/telemetry/prometheus/:connectionID/query_range': rule('connection.read', 'workspace'),
  'GET /api/telemetry/prometheus/:connectionID/labels': rule('connection.read', 'workspace'),
  'GET /api/telemetry/prometheus/:connectionID/metadata': rule('connection.read', 'workspace'),
  'GET /api/telemetry/grafana/:connectionID/ping': rule('connection.read', 'workspace'),
  'GET /api/telemetry/grafana/:connectionID/boards': rule('connection.read', 'workspace'),
  'GET /api/telemetry/grafana/:connectionID/boards/:uid': rule('connection.read', 'workspace'),
  'GET /api/telemetry/grafana/:connectionID/datasources': rule('connection.read', 'workspace'),

  'GET /api/events': rule('organization.read', 'organization', inOrganization),
  'GET /api/events/types': rule('event.read', 'anywhere'),
  'GET /api/events/stream': rule('event.read', 'organization', inOrganization),
  'GET /api/events/subscribe': rule('event.read', 'organization', inOrganization),
  'GET /api/events/:id': rule('event.read', 'workspace'),
  'PUT /api/events/status': rule('event.mark', 'anywhere', () => ({ body: { status: 'read', ids: [] } })),
  'PUT /api/events/:id/status': rule('event.mark', 'workspace', () => ({ body: { status: 'read' } })),
  'GET /api/notifications': rule('notification.read', 'anywhere'),
  'PUT /api/notifications': rule('notification.mark', 'anywhere', () => ({ body: { ids: [] } })),
  'GET /api/notifications/:id': rule('notification.read', 'anywhere', undefined, { absent: true }),
  'PUT /api/notifications/:id': rule('notification.mark', 'anywhere', () => ({ body: { status: 'read' } }), {
    absent: true,
  }),
  'GET /api/identity/users/notifications': rule('notification.read', 'anywhere'),
  'PUT /api/identity/users/notifications': rule('notification.updateSettings', 'anywhere', () => ({
    body: { timezone: 'UTC' },
  })),
  'GET /api/operations/:id': rule('operation.read', 'anywhere', undefined, { absent: true }),
  'POST /api/operations/:id/cancel': rule('operation.cancel', 'anywhere', undefined, { absent: true }),

  ...ofPerformance('/api/performance'),
  ...ofPerformance('/api/user/performance'),

  ...ofRegistry('/api/meshmodels'),
  ...ofRegistry('/api/registry'),
  'GET /api/schema/resource/:resourceName': rule('registry.read', 'anywhere', () => ({
    ids: { resourceName: 'Thing' },
  })),

  'GET /api/identity/orgs': rule('user.readProfile', 'anywhere'),
  'POST /api/identity/orgs': rule('organization.create', 'anywhere', renamed),
  [`GET ${orgs}`]: rule('organization.read', 'organization'),
  [`PUT ${orgs}`]: rule('organization.update', 'organization', renamed),
  [`DELETE ${orgs}`]: rule('organization.delete', 'organization'),
  [`GET ${orgs}/users`]: rule('organization.readMembers', 'organization'),
  [`POST ${orgs}/users`]: rule('organization.manageMembers', 'organization', () => ({
    body: { email: `${randomUUID()}@example.org`, role: 'member' },
  })),
  [`POST ${orgs}/users naming an owner`]: rule('organization.nameOwners', 'organization', () => ({
    body: { email: `${randomUUID()}@example.org`, role: 'owner' },
  })),
  [`GET ${orgs}/users/:userId`]: rule('organization.readMembers', 'organization'),
  [`PUT ${orgs}/users/:userId`]: rule('organization.manageMembers', 'organization', () => ({
    body: { role: 'member' },
  })),
  [`DELETE ${orgs}/users/:userId`]: rule('organization.manageMembers', 'organization', undefined, {
    before: joinBystander,
    after: joinBystander,
  }),
  [`GET ${orgs}/invitations`]: rule('organization.manageMembers', 'organization'),
  [`DELETE ${orgs}/invitations/:id`]: rule('organization.manageMembers', 'organization', undefined, {
    before: async ({ world }) => {
      const path = `/api/identity/orgs/${world.organization}`;
      await done(world.admin.post(`${path}/users`, { email: `${randomUUID()}@example.org`, role: 'member' }));
      return { id: (await done(world.admin.get(`${path}/invitations`))).invitations[0].id };
    },
  }),
  [`GET ${orgs}/teams`]: rule('organization.readTeams', 'organization'),
  [`POST ${orgs}/teams`]: rule('organization.manageTeams', 'organization', renamed),
  [`GET ${orgs}/teams/:teamId`]: rule('organization.readTeams', 'organization'),
  [`PUT ${orgs}/teams/:teamId`]: rule('organization.manageTeams', 'organization', renamed),
  [`DELETE ${orgs}/teams/:teamId`]: rule('organization.manageTeams', 'organization'),
  [`GET ${orgs}/teams/:teamId/users`]: rule('organization.readTeams', 'organization'),
  [`POST ${orgs}/teams/:teamId/users/:userId`]: rule('organization.manageTeams', 'organization'),
  [`DELETE ${orgs}/teams/:teamId/users/:userId`]: rule('organization.manageTeams', 'organization', undefined, {
    before: ({ world, team, bystander }) =>
      done(world.admin.post(`/api/identity/orgs/${world.organization}/teams/${team.id}/users/${bystander.id}`)).then(
        () => undefined,
      ),
  }),
  [`GET ${orgs}/service-accounts`]: rule('organization.readMembers', 'organization'),
  [`POST ${orgs}/service-accounts`]: rule('organization.manageServiceAccounts', 'organization', () => ({
    body: { name: named(), role: 'member' },
  })),
  [`GET ${orgs}/service-accounts/:id`]: rule('organization.readMembers', 'organization', undefined, {
    before: async (scene) => ({ id: await serviceAccount(scene) }),
  }),
  [`DELETE ${orgs}/service-accounts/:id`]: rule('organization.manageServiceAccounts', 'organization', undefined, {
    before: async (scene) => ({ id: await serviceAccount(scene) }),
  }),
  [`GET ${orgs}/service-accounts/:accountId/tokens`]: rule('organization.manageServiceAccounts', 'organization'),
  [`POST ${orgs}/service-accounts/:accountId/tokens`]: rule(
    'organization.manageServiceAccounts',
    'organization',
    () => ({
      body: { name: named(), scopes: ['read'] },
    }),
  ),
  [`DELETE ${orgs}/service-accounts/:accountId/tokens/:id`]: rule(
    'organization.manageServiceAccounts',
    'organization',
    undefined,
    {
      before: async ({ world, ids }) => {
        const path = `/api/identity/orgs/${world.organization}/service-accounts/${ids['accountId']}/tokens`;
        return { id: (await done(world.admin.post(path, { name: named(), scopes: ['read'] }))).id };
      },
    },
  ),
  'GET /api/search': rule('search.read', 'anywhere', () => ({ query: 'q=settings' })),
  'GET /api/attention': rule('attention.read', 'anywhere'),
  'GET /api/identity/users/favourites': rule('favourite.read', 'anywhere'),
  'PUT /api/identity/users/favourites/:type/:id': rule(
    'favourite.update',
    'anywhere',
    () => ({ ids: { type: 'design' } }),
    { absent: true },
  ),
  'DELETE /api/identity/users/favourites/:type/:id': rule(
    'favourite.update',
    'anywhere',
    () => ({ ids: { type: 'design' } }),
    { absent: true },
  ),
  'GET /api/identity/users': rule('user.administer', 'anywhere'),
  'GET /api/identity/users/:id': rule('user.administer', 'anywhere'),
  'PUT /api/identity/users/:id': rule('user.administer', 'anywhere', () => ({ body: { installation_admin: false } })),
  'GET /api/user': rule('user.readProfile', 'anywhere'),
  'GET /api/identity/users/profile': rule('user.readProfile', 'anywhere'),
  'PUT /api/identity/users/profile': rule('user.updateProfile', 'anywhere', () => ({ body: { first_name: 'A' } })),
  'PUT /api/identity/users/password': rule('user.changePassword', 'anywhere', () => ({
    body: { current_password: 'not the one', password: 'another long password' },
  })),
  'POST /api/auth/link': rule('user.linkAccount', 'anywhere', () => ({ body: { password: 'not the one' } })),
  'DELETE /api/auth/link': rule('user.unlinkAccount', 'anywhere', () => ({ body: { password: 'not the one' } })),
  'GET /api/identity/tokens': rule('token.read', 'anywhere'),
  'POST /api/identity/tokens': rule('token.create', 'anywhere', () => ({ body: { name: named(), scopes: ['read'] } })),
  'GET /api/identity/tokens/:id': rule('token.read', 'anywhere', undefined, { absent: true }),
  'DELETE /api/identity/tokens/:id': rule('token.revoke', 'anywhere', undefined, { absent: true }),
};

/** The selection of every GraphQL root field that reads, under the rule of the same record. */
const FIELDS: Record<string, { operation: string; at: Rule['at']; query: (scene: Scene) => string; absent?: true }> = {
  me: { operation: 'user.readProfile', at: 'anywhere', query: () => 'me { id }' },
  ...Object.fromEntries(
    ['environments', 'workspaces', 'connections', 'teams', 'members'].map((field) => [
      field,
      {
        operation: 'organization.read',
        at: 'organization' as const,
        query: ({ world }: Scene) => `${field}(orgID: "${world.organization}") { total_count }`,
      },
    ]),
  ),
  organizations: { operation: 'user.readProfile', at: 'anywhere', query: () => 'organizations { total_count }' },
  organization: {
    operation: 'organization.read',
    at: 'organization',
    query: ({ world }) => `organization(id: "${world.organization}") { id }`,
  },
  team: {
    operation: 'organization.read',
    at: 'organization',
    query: ({ team }) => `team(id: "${team.id}") { id }`,
  },
  environment: {
    operation: 'environment.read',
    at: 'workspace',
    query: ({ environment }) => `environment(id: "${environment.id}") { id }`,
  },
  workspace: {
    operation: 'workspace.read',
    at: 'workspace',
    query: ({ workspace }) => `workspace(id: "${workspace.id}") { id }`,
  },
  connection: {
    operation: 'connection.read',
    at: 'workspace',
    query: ({ ids }) => `connection(id: "${ids['connectionID']}") { id }`,
  },
  fetchPatternCatalogContent: {
    operation: 'design.read',
    at: 'anywhere',
    query: () => 'fetchPatternCatalogContent { id }',
  },
  deployments: { operation: 'deployment.read', at: 'anywhere', query: () => 'deployments { total_count }' },
  deployment: {
    operation: 'deployment.read',
    at: 'workspace',
    query: ({ ids }) => `deployment(id: "${ids['deployment']}") { id }`,
  },
  events: {
    operation: 'organization.read',
    at: 'organization',
    query: ({ world }) => `events(orgID: "${world.organization}") { total_count }`,
  },
  attention: { operation: 'attention.read', at: 'anywhere', query: () => 'attention { total_count }' },
  notifications: { operation: 'notification.read', at: 'anywhere', query: () => 'notifications { total_count }' },
  notification: {
    operation: 'notification.read',
    at: 'anywhere',
    query: () => `notification(id: "${randomUUID()}") { id }`,
    absent: true,
  },
  event: { operation: 'event.read', at: 'workspace', query: ({ ids }) => `event(id: "${ids['event']}") { id }` },
  ...Object.fromEntries(
    [
      'models { total_count }',
      'components { total_count }',
      'getMeshModelSummary(selector: { type: "all" }) { components { name } }',
    ].map((query) => [
      /^\w+/.exec(query)?.[0] ?? '',
      { operation: 'registry.read', at: 'anywhere' as const, query: () => query },
    ]),
  ),
  model: {
    operation: 'registry.read',
    at: 'anywhere',
    query: ({ ids }) => `model(id: "${ids['publishedModel']}") { id }`,
  },
  component: {
    operation: 'registry.read',
    at: 'anywhere',
    query: ({ ids }) => `component(id: "${ids['publishedComponent']}") { id }`,
  },
  fetchPatterns: {
    operation: 'design.read',
    at: 'anywhere',
    query: () => 'fetchPatterns(selector: { page: "0", pageSize: "1" }) { total_count }',
  },
  fetchFilters: {
    operation: 'filter.read',
    at: 'anywhere',
    query: () => 'fetchFilters(selector: { page: "0", pageSize: "1" }) { total_count }',
  },
  getPerformanceProfiles: {
    operation: 'performance.read',
    at: 'anywhere',
    query: () => 'getPerformanceProfiles(selector: { page: "0", pageSize: "1" }) { total_count }',
  },
  fetchAllResults: {
    operation: 'performance.read',
    at: 'anywhere',
    query: () => 'fetchAllResults(selector: { page: "0", pageSize: "1" }) { total_count }',
  },
  fetchResults: {
    operation: 'performance.read',
    at: 'workspace',
    query: ({ ids }) =>
      `fetchResults(profileID: "${ids['/api/performance/profiles']}", selector: { page: "0", pageSize: "1" }) { total_count }`,
  },
  getPerfResult: {
    operation: 'performance.read',
    at: 'workspace',
    query: ({ ids }) => `getPerfResult(id: "${ids['/api/performance/results']}") { id }`,
  },
  fetchFilterCatalogContent: {
    operation: 'filter.read',
    at: 'anywhere',
    query: () => 'fetchFilterCatalogContent { id }',
  },
  getAvailableNamespaces: {
    operation: 'resource.read',
    at: 'workspace',
    query: ({ ids }) => `getAvailableNamespaces(k8sClusterIDs: ["${ids['connectionID']}"]) { namespace }`,
  },
  getKubectlDescribe: {
    operation: 'resource.read',
    at: 'workspace',
    query: ({ ids }) =>
      `getKubectlDescribe(name: "x", kind: "Pod", namespace: "x", connectionID: "${ids['connectionID']}") { describe }`,
  },
  resyncCluster: {
    operation: 'resource.resync',
    at: 'workspace',
    query: ({ ids }) => `resyncCluster(k8scontextID: "${ids['connectionID']}")`,
  },
  ...Object.fromEntries(
    ['getControlPlanes', 'getDataPlanes', 'getAvailableAddons'].map((field) => [
      field,
      {
        operation: 'connection.read',
        at: 'workspace' as const,
        query: ({ ids }: Scene) => `${field}(filter: { k8sClusterIDs: ["${ids['connectionID']}"] }) { name }`,
      },
    ]),
  ),
  ...Object.fromEntries(
    ['getOperatorStatus', 'getMeshsyncStatus', 'getNatsStatus'].map((field) => [
      field,
      {
        operation: 'connection.read',
        at: 'workspace' as const,
        query: ({ ids }: Scene) => `${field}(connectionID: "${ids['connectionID']}") { status }`,
      },
    ]),
  ),
  changeOperatorStatus: {
    operation: 'cluster.changeControllers',
    at: 'workspace',
    query: ({ ids }) =>
      `mutation { changeOperatorStatus(input: { targetStatus: ENABLED, contextID: "${ids['connectionID']}" }) }`,
  },
  changeAdapterStatus: {
    operation: 'cluster.changeControllers',
    at: 'workspace',
    query: ({ ids }) =>
      `mutation { changeAdapterStatus(input: { targetStatus: ENABLED, targetPort: "", adapter: "istio", contextID: "${ids['connectionID']}" }) }`,
  },
  fetchTelemetryComponents: {
    operation: 'connection.read',
    at: 'workspace',
    query: ({ ids }) => `fetchTelemetryComponents(contexts: ["${ids['connectionID']}"]) { name }`,
  },
};

/** The cluster of the scene does not answer: a caller who gets that error was authorized. */
const UNREACHED = 'CLUSTER_UNREACHABLE';

let world: World;
let people: People;
let scene: Scene;
let tokens: Record<Scope, Person>;

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
  scene = await prepare();
  tokens = Object.fromEntries(
    await Promise.all(
      SCOPES.map(async (scope) => {
        const made = await done(world.admin.post('/api/identity/tokens', { name: scope, scopes: [scope] }));
        return [scope, new Person(world.baseUrl, made.token as string, world.admin.id, world.admin.email)];
      }),
    ),
  ) as Record<Scope, Person>;
}, 180_000);
afterAll(() => world.stop());

async function serviceAccount({ world: { admin, organization } }: Pick<Scene, 'world'>): Promise<string> {
  const path = `/api/identity/orgs/${organization}/service-accounts`;
  return (await done(admin.post(path, { name: named(), role: 'member' }))).id as string;
}

/** An object of a cluster, as if a watch had seen it. */
async function keepResource(connection: Json): Promise<string> {
  const id = randomUUID();
  await world.sql(
    `INSERT INTO cluster_resource (id, organization_id, connection_id, api_version, kind, namespace, name, uid, resource_version,
       labels, content, omitted, created_at, updated_at)
     VALUES ($1, $2, $3, 'v1', 'ConfigMap', 'default', 'kept', $4, '1', '{}', '{}', '{}', now(), now())`,
    [id, connection.organization_id, connection.id, id],
  );
  return id;
}

async function prepare(): Promise<Scene> {
  const { admin, organization } = world;
  const workspace = await WorkspaceScene.make(world, people);
  const [environment, production] = [
    await workspace.environment(),
    await workspace.environment({ tier: 'production' }),
  ];
  const connection = await workspace.cluster(environment, 'https://127.0.0.1:9');
  await done(admin.post(`/api/environments/${production.id}/connections/${connection.id}`));
  const loose = await workspace.looseEnvironment();
  const design = await workspace.design();
  const filter = await done(admin.post('/api/filter', newFilter(workspace)));
  const team = await workspace.team();
  const bystander = await world.person();
  await done(admin.put(`${workspace.path}/members/${bystander.id}`, { role: 'viewer' }));
  const deployment = await done(
    admin.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id }),
  );
  const productionDeployment = await done(
    admin.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: production.id }),
  );
  const credential = await done(
    admin.post('/api/integrations/credentials', {
      name: named(),
      type: 'custom',
      secret: { a: 1 },
      organization_id: organization,
    }),
  );
  const event = (await done(admin.get(`${workspace.path}/activity`))).events[0];
  const profile = await done(admin.post('/api/performance/profiles', newProfile(workspace)));
  const result = await performanceResult(world, profile);
  const performance = PERFORMANCE.flatMap((base) => [
    [`${base}/profiles`, profile.id],
    [`${base}/results`, result],
    [`${base}/runs`, result],
  ]);
  const webhooks: Record<string, string> = {};
  for (const [name, base] of [
    ['webhook', workspace.path],
    ['organizationWebhook', `/api/identity/orgs/${organization}`],
  ]) {
    webhooks[`${name}`] = (await done(admin.post(`${base}/webhooks`, NEW_WEBHOOK))).id;
    const test = await done(admin.post(`${base}/webhooks/${webhooks[`${name}`]}/test`));
    webhooks[`${name}Delivery`] = test.id;
  }
  const ids = {
    ...webhooks,
    ...Object.fromEntries(performance),
    environmentID: environment.id,
    envID: environment.id,
    connectionID: connection.id,
    designID: design.id,
    orgId: organization,
    userId: bystander.id,
    teamId: team.id,
    policyId: (await done(admin.post(`${workspace.path}/policies`, { name: 'p', expression: 'true', mode: 'warn' })))
      .id,
    freezeId: (await done(admin.post(`/api/environments/${environment.id}/freezes`, PAST_FREEZE))).id,
    accountId: await serviceAccount({ world }),
    deployment: deployment.id,
    productionDeployment: productionDeployment.id,
    event: event.id,
    publishedModel: await publish(world, PUBLISHED.model),
    publishedComponent: (await done(admin.get('/api/registry/components/Thing'))).components[0].id,
    '/api/environments': environment.id,
    '/api/integrations/connections': connection.id,
    '/api/integrations/credentials': credential.id,
    '/api/workspaces': workspace.id,
    '/api/pattern': design.id,
    '/api/filter': filter.id,
    '/api/deployments': deployment.id,
    '/api/events': event.id,
    '/api/system/meshsync/resources': await keepResource(connection),
    '/api/identity/users': bystander.id,
  } as Record<string, string>;
  return { world, workspace, bystander, ids, environment, production, loose, design, filter, team };
}

/** A result of a profile, without the time that measuring takes. */
async function performanceResult(world: World, { id, workspace_id, user_id }: Json): Promise<string> {
  const [result] = await world.sql<{ id: string }>(
    `INSERT INTO performance_run (id, organization_id, workspace_id, profile_id, user_id, name, trigger, status, plan, finished_at)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 'result', 'manual', 'succeeded', '{"endpoint": "http://no-such-name.invalid/"}', now()) RETURNING id`,
    [world.organization, workspace_id, id, user_id],
  );
  return result?.id ?? '';
}

type Outcome = 'unauthenticated' | 'forbidden' | 'invisible' | 'allowed';

const outcomeOf = (status: number): Outcome => {
  if (status >= 500 && status !== 502 && status !== 504) throw new Error(`the server failed: ${status}`);
  return ({ 401: 'unauthenticated', 403: 'forbidden', 404: 'invisible' } as const)[status] ?? 'allowed';
};

const operationOf = (name: string): Operation => {
  const operation = declaredOperations().find((each) => each.name === name);
  if (!operation) throw new Error(`no policy has the operation ${name}`);
  return operation;
};

function expected(one: Pick<Rule, 'operation' | 'at' | 'absent'>, who: keyof People): Outcome {
  if (who === 'stranger') return 'unauthenticated';
  if (one.absent) return 'invisible';
  const { needs, installation } = operationOf(one.operation);
  if (installation) return who === 'owner' ? 'allowed' : 'forbidden';
  if (one.at === 'anywhere') return 'allowed';
  const { sees, roles } = PLACES[one.at];
  if (!isRoleAtLeast(roles[who], sees)) return 'invisible';
  return isRoleAtLeast(roles[who], needs) ? 'allowed' : 'forbidden';
}

const HOLDS: Record<Scope, Scope[]> = {
  read: ['read'],
  write: ['read', 'write'],
  deploy: ['read', 'deploy'],
  admin: ['read', 'write', 'deploy', 'admin'],
};

/** Calls a route as its rule says; a precondition that never holds keeps allowed changes from happening where there is one. */
async function attempt(
  route: string,
  { call, before, after }: Rule,
  person: Person,
  allowed: boolean,
): Promise<Outcome> {
  const made = allowed ? await before?.(scene) : undefined;
  const [method = '', template = ''] = route.split(' ');
  const { ids = {}, query = '', body } = call?.(scene) ?? {};
  const root = template.slice(0, template.indexOf('/:') === -1 ? undefined : template.indexOf('/:'));
  const path = template.replace(/:(\w+)/g, (_, name: string) => {
    const known = name === 'id' && !template.includes('/orgs/') ? scene.ids[root] : scene.ids[name];
    return { ...ids, ...made }[name] ?? known ?? randomUUID();
  });
  const response = await fetch(`${person.baseUrl}${path}?${query}`, {
    method,
    headers: {
      ...(person.token ? { authorization: `Bearer ${person.token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(method === 'PUT' || method === 'DELETE' ? { 'if-match': '"never"' } : {}),
    },
    body: body && JSON.stringify(body),
  });
  await response.body?.cancel();
  if (allowed) await after?.(scene);
  return outcomeOf(response.status);
}

describe('every route', () => {
  it('has a rule that says who may call it', () => {
    const routes = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ method, path }) => method !== '_ALL' && !OPEN.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/^\/api\/system\/events(?!\/erase$)/, '/api/events')}`);
    const ruled = new Set(
      [...OF_SESSIONS, ...Object.keys(RULES)].map((route) => route.split(' ').slice(0, 2).join(' ')),
    );
    expect({
      withoutRule: [...new Set(routes)].filter((route) => !ruled.has(route)),
      withoutRoute: [...ruled].filter((route) => !routes.includes(route)),
    }).toEqual({ withoutRule: [], withoutRoute: [] });
  });

  it.each(Object.entries(RULES))('%s is for those whom the table of roles lets', async (route, one) => {
    const wanted: Record<string, Outcome> = {};
    const found: Record<string, Outcome> = {};
    for (const [who, person] of Object.entries(people) as [keyof People, Person][]) {
      wanted[who] = expected(one, who);
      found[who] = await attempt(route, one, person, wanted[who] === 'allowed');
    }
    for (const scope of one.absent ? [] : SCOPES) {
      wanted[`${scope} token`] = HOLDS[scope].includes(operationOf(one.operation).scope) ? 'allowed' : 'forbidden';
      found[`${scope} token`] = await attempt(route, one, tokens[scope], wanted[`${scope} token`] === 'allowed');
    }
    expect(found).toEqual(wanted);
  });
});

describe('every GraphQL root field', () => {
  it('has a rule that says who may ask for it', () => {
    const { schema } = world.get(GraphQLSchemaHost);
    const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}),
    );
    expect(fields.filter((field) => !(field in FIELDS))).toEqual([]);
  });

  it.each(Object.entries(FIELDS))('%s is for those whom the table of roles lets', async (_, one) => {
    const wanted: Record<string, Outcome> = {};
    const found: Record<string, Outcome> = {};
    for (const [who, person] of Object.entries(people) as [keyof People, Person][]) {
      wanted[who] = expected(one, who);
      const query = one.query(scene);
      const { body } = await person.graphql(query.startsWith('mutation') ? query : `{ ${query} }`);
      const code = body.errors?.[0].extensions.code as string | undefined;
      found[who] =
        code === undefined || code === UNREACHED
          ? 'allowed'
          : (({ UNAUTHENTICATED: 'unauthenticated', FORBIDDEN: 'forbidden', NOT_FOUND: 'invisible' } as const)[code] ??
            (code as Outcome));
    }
    expect(found).toEqual(wanted);
  });
});

describe('the table of roles', () => {
  it('is printed in the documentation as it is in the code', () => {
    const path = new URL('../docs/roles.md', import.meta.url);
    const printed = `${INTRODUCTION}${renderRoleTable(declaredOperations())}\n`;
    if (process.env['UPDATE_DOCS']) writeFileSync(path, printed);
    expect(readFileSync(path, 'utf8')).toBe(printed);
  });
});

const INTRODUCTION = `# Who may do what

This page is printed from the table that the services ask (\`UPDATE_DOCS=1 npm test -- test/access\` writes it
again); a test fails when it is stale, and walks it over every route.

A role in an organization holds for everything in it: its admins and owners act as admins in every workspace. A role in
a workspace is granted to a user or to a team of theirs, and the strongest counts; it also holds for the environments
that are assigned to the workspace, and for their connections. A record that the caller may not see is answered as
absent (404); one that the caller sees but may not change is 403.

Admins of a workspace grant roles in it: \`PUT /api/workspaces/{id}/members/{userId} {"role": "editor"}\` to a user,
\`PUT /api/workspaces/{id}/teams/{teamId} {"role": "viewer"}\` to a team; DELETE takes the role back. \`GET …/members\` lists who
has which role, and \`GET …/permissions\` what the caller may do there, and for each refusal who could grant it.

A token does what its scopes include: \`read\`; \`write\` and \`deploy\`, each with \`read\`; \`admin\`, which is all of them.
Sessions have all scopes.

Administrators of the installation are that beside whatever role they have. Assigning an environment
(\`workspace.assignEnvironment\`) also takes \`environment.assign\` on the environment: a role of admin that the caller has
as an admin of the organization, or of another workspace that has it already.

`;
