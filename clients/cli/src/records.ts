import { WrongUse } from './failure.js';
import { ageOf, type Column, detailsOf, tableOf } from './output.js';
import type { ListName, Session } from './session.js';
import { requireText } from './session.js';

/** A record as the API sends it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = Record<string, any>;

/** What a kind of record belongs to, which its paths or queries name. */
type Scope = 'none' | 'organization' | 'in-organization' | 'workspace' | 'in-workspace' | 'environment' | 'design';

export interface Kind {
  name: string;
  plural: string;
  /**
   * `organization` and `workspace` narrow by query, `in-organization`, `in-workspace`, `environment` and `design` are parts of the path.
   */
  scope: Scope;
  list?: ListName;
  get?: string;
  create?: string;
  delete?: string;
  /** The name of the path parameter of its id; default: `id`. */
  idParameter?: string;
  /** The name of the path parameter of what it belongs to; default: `id`. */
  ownerParameter?: string;
  nameOf: (record: Json) => string;
  idOf: (record: Json) => string;
  columns: Column<Json>[];
}

/** Where kinds within others are looked for. */
export interface Place {
  environment?: string;
  design?: string;
}

const name: Column<Json> = ['NAME', ({ name }) => name as string];
const id: Column<Json> = ['ID', ({ id }) => id as string];
const status: Column<Json> = ['STATUS', ({ status }) => status as string];
const age: Column<Json> = ['AGE', ({ created_at }) => ageOf(created_at as string)];
const column = (heading: string, field = heading.toLowerCase()): Column<Json> => [
  heading,
  (record) => (Array.isArray(record[field]) ? record[field].join(',') : (record[field] as string)),
];

type Definition = Partial<Kind> & Pick<Kind, 'name' | 'scope' | 'columns'>;

const define = (definition: Definition): Kind => ({
  plural: `${definition.name}s`,
  nameOf: ({ name }) => name as string,
  idOf: ({ id }) => id as string,
  ...definition,
});

const DEFINITIONS: Definition[] = [
  {
    name: 'organization',
    scope: 'none',
    list: 'listOrganizations',
    get: 'getOrganization',
    create: 'createOrganization',
    delete: 'deleteOrganization',
    idParameter: 'orgId',
    columns: [name, column('DESCRIPTION'), age, id],
  },
  {
    name: 'user',
    scope: 'in-organization',
    ownerParameter: 'orgId',
    list: 'listOrganizationUsers',
    get: 'getOrganizationMember',
    create: 'addOrganizationUser',
    delete: 'removeOrganizationUser',
    idParameter: 'userId',
    nameOf: ({ email }) => email as string,
    columns: [column('EMAIL'), column('ROLE'), column('ACTIVE'), column('KIND'), age, id],
  },
  {
    name: 'invitation',
    scope: 'in-organization',
    ownerParameter: 'orgId',
    list: 'listInvitations',
    delete: 'withdrawInvitation',
    nameOf: ({ email }) => email as string,
    columns: [column('EMAIL'), column('ROLE'), column('EXPIRES', 'expires_at'), id],
  },
  {
    name: 'team',
    scope: 'in-organization',
    ownerParameter: 'orgId',
    list: 'listTeams',
    get: 'getTeam',
    create: 'createTeam',
    delete: 'deleteTeam',
    idParameter: 'teamId',
    columns: [name, column('DESCRIPTION'), age, id],
  },
  {
    name: 'service-account',
    scope: 'in-organization',
    ownerParameter: 'orgId',
    list: 'listServiceAccounts',
    get: 'getServiceAccount',
    create: 'createServiceAccount',
    delete: 'deleteServiceAccount',
    columns: [name, column('ROLE'), column('ACTIVE'), age, id],
  },
  {
    name: 'token',
    scope: 'none',
    list: 'listTokens',
    get: 'getToken',
    create: 'createToken',
    delete: 'revokeToken',
    columns: [
      name,
      column('SCOPES'),
      column('EXPIRES', 'expires_at'),
      ['LAST USED', ({ last_used_at }) => ageOf(last_used_at as string)],
      age,
      id,
    ],
  },
  {
    name: 'environment',
    scope: 'organization',
    list: 'listEnvironments',
    get: 'getEnvironment',
    create: 'createEnvironment',
    delete: 'deleteEnvironment',
    columns: [name, column('TIER'), status, column('APPROVALS', 'required_approvals'), age, id],
  },
  {
    name: 'workspace',
    scope: 'organization',
    list: 'listWorkspaces',
    get: 'getWorkspace',
    create: 'createWorkspace',
    delete: 'deleteWorkspace',
    columns: [name, status, column('DESCRIPTION'), age, id],
  },
  {
    name: 'member',
    scope: 'in-workspace',
    list: 'listWorkspaceMembers',
    get: 'getWorkspaceMember',
    delete: 'removeWorkspaceMember',
    idParameter: 'userId',
    nameOf: ({ email }) => email as string,
    idOf: ({ user_id }) => user_id as string,
    columns: [column('EMAIL'), column('ROLE'), column('GRANTED'), age, column('ID', 'user_id')],
  },
  {
    name: 'connection',
    scope: 'organization',
    list: 'listConnections',
    get: 'getConnection',
    create: 'createConnection',
    delete: 'deleteConnection',
    columns: [
      name,
      column('KIND'),
      status,
      [
        'ENVIRONMENTS',
        ({ environments }) => ((environments ?? []) as Json[]).map((each) => each['name'] as string).join(','),
      ],
      age,
      id,
    ],
  },
  {
    name: 'credential',
    scope: 'organization',
    list: 'listCredentials',
    get: 'getCredential',
    create: 'createCredential',
    delete: 'deleteCredential',
    columns: [name, column('TYPE'), age, id],
  },
  {
    name: 'design',
    scope: 'workspace',
    list: 'listDesigns',
    get: 'getDesign',
    create: 'createDesign',
    delete: 'deleteDesign',
    columns: [
      name,
      column('TYPE', 'source_type'),
      column('VERSION', 'version_number'),
      column('VISIBILITY'),
      column('DEPLOYMENTS', 'deployment_count'),
      age,
      id,
    ],
  },
  {
    name: 'version',
    scope: 'design',
    list: 'listDesignVersions',
    get: 'getDesignVersion',
    idParameter: 'number',
    nameOf: ({ number }) => String(number),
    idOf: ({ number }) => String(number),
    columns: [column('NUMBER'), column('VERSION'), column('CURRENT'), column('MESSAGE'), age],
  },
  {
    name: 'snapshot',
    scope: 'design',
    list: 'listDesignSnapshots',
    create: 'createDesignSnapshot',
    columns: [name, column('NUMBER'), age, id],
  },
  {
    name: 'deployment',
    scope: 'workspace',
    list: 'listDeployments',
    get: 'getDeployment',
    columns: [
      ['DESIGN', ({ name }) => name as string],
      column('ACTION'),
      status,
      column('VERSION', 'design_version'),
      ['RESOURCES', ({ resources }) => (resources as unknown[] | undefined)?.length],
      age,
      id,
    ],
  },
  {
    name: 'policy',
    plural: 'policies',
    scope: 'in-workspace',
    list: 'listPolicies',
    get: 'getPolicy',
    create: 'createPolicy',
    delete: 'deletePolicy',
    idParameter: 'policyId',
    columns: [name, column('MODE'), column('ENABLED'), column('KINDS'), column('EXPRESSION'), id],
  },
  {
    name: 'webhook',
    scope: 'in-workspace',
    list: 'listWorkspaceWebhooks',
    get: 'getWorkspaceWebhook',
    create: 'createWorkspaceWebhook',
    delete: 'deleteWorkspaceWebhook',
    idParameter: 'webhookId',
    nameOf: ({ url }) => url as string,
    columns: [column('URL'), column('EVENTS'), column('FORMAT'), column('ENABLED'), age, id],
  },
  {
    name: 'freeze',
    scope: 'environment',
    list: 'listFreezes',
    get: 'getFreeze',
    create: 'createFreeze',
    delete: 'deleteFreeze',
    idParameter: 'freezeId',
    columns: [
      name,
      column('ACTIVE'),
      column('STARTS', 'starts_at'),
      column('ENDS', 'ends_at'),
      column('RECURRENCE'),
      id,
    ],
  },
  {
    name: 'filter',
    scope: 'workspace',
    list: 'listFilters',
    get: 'getFilter',
    delete: 'deleteFilter',
    columns: [name, column('VISIBILITY'), column('SIZE'), age, id],
  },
  {
    name: 'event',
    scope: 'organization',
    list: 'listEvents',
    get: 'getEvent',
    nameOf: ({ id }) => id as string,
    columns: [
      column('SEQUENCE'),
      age,
      ['EVENT', ({ category, action }) => `${category as string}.${action as string}`],
      column('SEVERITY'),
      column('DESCRIPTION'),
      id,
    ],
  },
  {
    name: 'notification',
    scope: 'organization',
    list: 'listNotifications',
    get: 'getNotification',
    nameOf: ({ id }) => id as string,
    columns: [
      status,
      age,
      ['EVENT', ({ category, action }) => `${category as string}.${action as string}`],
      column('DESCRIPTION'),
      id,
    ],
  },
  {
    name: 'audit-entry',
    plural: 'audit-entries',
    scope: 'in-organization',
    ownerParameter: 'orgId',
    list: 'listAuditEntries',
    nameOf: ({ id }) => id as string,
    columns: [
      column('SEQUENCE'),
      age,
      ['ACTOR', ({ actor }) => (actor as Json | null)?.['name'] as string],
      column('ACTION'),
      column('OUTCOME'),
      column('VIA'),
      id,
    ],
  },
  {
    name: 'resource',
    scope: 'organization',
    list: 'listClusterResources',
    get: 'getClusterResource',
    columns: [
      column('KIND'),
      column('NAMESPACE'),
      name,
      ['HEALTH', ({ health }) => (health as Json | null)?.['status'] as string],
      age,
      id,
    ],
  },
  {
    name: 'model',
    scope: 'none',
    list: 'listModels',
    delete: 'deleteModel',
    idParameter: 'model',
    columns: [
      name,
      column('VERSION'),
      ['CATEGORY', ({ category }) => (category as Json | null)?.['name'] as string],
      status,
      column('COMPONENTS', 'components_count'),
      id,
    ],
  },
  {
    name: 'component',
    scope: 'none',
    list: 'listComponents',
    nameOf: ({ kind }) => kind as string,
    columns: [
      column('KIND'),
      column('API VERSION', 'apiVersion'),
      ['MODEL', ({ model }) => (model as Json | null)?.['name'] as string],
      status,
      id,
    ],
  },
  {
    name: 'relationship',
    scope: 'none',
    list: 'listRelationships',
    nameOf: ({ id }) => id as string,
    columns: [
      column('KIND'),
      column('TYPE'),
      column('SUB TYPE', 'sub_type'),
      ['MODEL', ({ model }) => (model as Json | null)?.['name'] as string],
      status,
      id,
    ],
  },
  {
    name: 'performance-profile',
    scope: 'organization',
    list: 'listPerformanceProfiles',
    get: 'getPerformanceProfile',
    create: 'createPerformanceProfile',
    delete: 'deletePerformanceProfile',
    columns: [name, column('ENDPOINTS'), column('QPS'), column('DURATION'), age, id],
  },
  {
    name: 'performance-result',
    scope: 'organization',
    list: 'listPerformanceResults',
    get: 'getPerformanceResult',
    columns: [name, status, age, id],
  },
];

export const KINDS: readonly Kind[] = DEFINITIONS.map(define);

/** Names that older clients and other programs have for kinds. */
const ALIASES: Record<string, string> = {
  org: 'organization',
  env: 'environment',
  ws: 'workspace',
  pattern: 'design',
  cluster: 'connection',
};

/** @throws WrongUse for a kind that there is not */
export function kindOf(text: string): Kind {
  const wanted = text.toLowerCase();
  const found = KINDS.find(({ name, plural }) => [name, plural].includes(ALIASES[wanted] ?? wanted));
  if (found) return found;
  throw new WrongUse(`there is no kind ${text}`, `Use one of ${KINDS.map(({ name }) => name).join(', ')}.`);
}

/** The path and query that choose what a kind belongs to. */
export async function placeOf(
  { scope, ownerParameter = 'id', name: kindName }: Kind,
  session: Session,
  { environment, design }: Place,
): Promise<{ path: Record<string, string>; query: Record<string, string | undefined> }> {
  const inside = (owner: string) => ({ path: { [ownerParameter]: owner }, query: {} });
  switch (scope) {
    case 'none':
      return { path: {}, query: {} };
    case 'organization': {
      const orgID =
        kindName === 'workspace' ? (await session.requireOrganization()).id : await session.organizationId();
      return { path: {}, query: { orgID } };
    }
    case 'workspace':
      return { path: {}, query: { orgID: await session.organizationId(), workspace_id: await session.workspaceId() } };
    case 'in-organization':
      return inside((await session.requireOrganization()).id);
    case 'in-workspace':
      return inside((await session.requireWorkspace()).id);
    case 'environment':
      return inside((await session.resolveEnvironment(requireText(environment, '--environment'))).id);
    case 'design':
      return inside((await session.resolveDesign(requireText(design, '--design'))).id);
  }
}

/** Records as a table. */
export const tableOfKind = ({ columns }: Kind, records: readonly Json[], width: number): string =>
  tableOf(records, columns, width);

/** One record, with all that fits into a line. */
export function describe({ columns }: Kind, record: Json): string {
  const shown = columns.map(([heading, text]) => [heading.toLowerCase(), text(record)] as const);
  const fields = new Set(shown.map(([heading]) => heading.replaceAll(' ', '_')));
  const rest = Object.entries(record).filter(
    ([field, value]) => !fields.has(field) && field !== 'created_at' && !isLong(value),
  );
  return detailsOf([...shown, ...rest]);
}

const LONGEST_TEXT = 200;
const isLong = (value: unknown): boolean =>
  typeof value === 'string' ? value.length > LONGEST_TEXT : (JSON.stringify(value) ?? '').length > LONGEST_TEXT;

/** `kind/name` of records: the id where a name is not the only one. */
export function namesOf(kind: Kind, records: readonly Json[], isOnly = true): string[] {
  const seen = new Map<string, number>();
  for (const record of records) seen.set(kind.nameOf(record), (seen.get(kind.nameOf(record)) ?? 0) + 1);
  return records.map((record) => {
    const own = kind.nameOf(record);
    return `${kind.name}/${isOnly && seen.get(own) === 1 ? own : kind.idOf(record)}`;
  });
}
