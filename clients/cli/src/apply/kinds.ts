import type { Json } from '../records.js';
import type { ListName } from '../session.js';

/** What a document of a kind becomes. The order is that in which records need one another. */
export interface DocumentKind {
  kind: string;
  /** The record of the API. */
  record: string;
  /** The fields of `spec` that the record has as well. */
  fields: readonly string[];
  /** Fields of `spec` that the record has, and that are only sent. */
  secrets?: readonly string[];
  /** Names of other records in `spec`. */
  references?: readonly string[];
  /** Fields that can be set when it is made, and not later. */
  fixed?: readonly string[];
  scope: 'installation' | 'organization' | 'workspace' | 'environment';
  list?: ListName;
  /** The name of the path parameter of what it belongs to, for lists and calls below a path. */
  ownerParameter?: string;
  idParameter?: string;
  create?: string;
  update?: string;
  delete?: string;
  /** Reads one record, where lists leave out a field. */
  get?: string;
  /** By what it is found; default: its name. */
  nameOf?: (record: Json) => string;
  /** Records that --prune leaves, whatever the files have. */
  neverPruned?: boolean;
}

export const DOCUMENT_KINDS: readonly DocumentKind[] = [
  {
    kind: 'Organization',
    record: 'organization',
    fields: ['description', 'metadata'],
    scope: 'installation',
    list: 'listOrganizations',
    idParameter: 'orgId',
    create: 'createOrganization',
    update: 'updateOrganization',
    neverPruned: true,
  },
  {
    kind: 'Member',
    record: 'user',
    fields: ['role', 'first_name', 'last_name'],
    secrets: ['password'],
    scope: 'organization',
    neverPruned: true,
  },
  {
    kind: 'ServiceAccount',
    record: 'service-account',
    fields: ['role'],
    fixed: ['role'],
    scope: 'organization',
    list: 'listServiceAccounts',
    ownerParameter: 'orgId',
    create: 'createServiceAccount',
    delete: 'deleteServiceAccount',
  },
  {
    kind: 'Team',
    record: 'team',
    fields: ['description'],
    references: ['members'],
    scope: 'organization',
    list: 'listTeams',
    ownerParameter: 'orgId',
    idParameter: 'teamId',
    create: 'createTeam',
    update: 'updateTeam',
    delete: 'deleteTeam',
  },
  {
    kind: 'Credential',
    record: 'credential',
    fields: ['type'],
    fixed: ['type'],
    secrets: ['secret'],
    scope: 'organization',
    list: 'listCredentials',
    create: 'createCredential',
    update: 'updateCredential',
    delete: 'deleteCredential',
  },
  {
    kind: 'Connection',
    record: 'connection',
    fields: ['kind', 'type', 'sub_type', 'metadata'],
    fixed: ['kind'],
    secrets: ['credential_secret'],
    references: ['credential'],
    scope: 'organization',
    list: 'listConnections',
    create: 'createConnection',
    update: 'updateConnection',
    delete: 'deleteConnection',
  },
  {
    kind: 'Environment',
    record: 'environment',
    fields: ['description', 'tier', 'required_approvals', 'drift', 'logs', 'metadata'],
    references: ['connections'],
    scope: 'organization',
    list: 'listEnvironments',
    create: 'createEnvironment',
    update: 'updateEnvironment',
    delete: 'deleteEnvironment',
  },
  {
    kind: 'Workspace',
    record: 'workspace',
    fields: ['description', 'metadata'],
    references: ['environments', 'teams'],
    scope: 'organization',
    list: 'listWorkspaces',
    create: 'createWorkspace',
    update: 'updateWorkspace',
    delete: 'deleteWorkspace',
  },
  {
    kind: 'Quota',
    record: 'quota',
    fields: ['max_designs', 'max_environments', 'max_members', 'max_deployments_per_day'],
    scope: 'workspace',
    neverPruned: true,
  },
  {
    kind: 'Policy',
    record: 'policy',
    fields: ['expression', 'message', 'mode', 'kinds', 'enabled'],
    scope: 'workspace',
    list: 'listPolicies',
    ownerParameter: 'id',
    idParameter: 'policyId',
    create: 'createPolicy',
    update: 'updatePolicy',
    delete: 'deletePolicy',
  },
  {
    kind: 'Webhook',
    record: 'webhook',
    fields: ['url', 'events', 'severities', 'format', 'enabled', 'description'],
    secrets: ['headers', 'routing_key'],
    scope: 'workspace',
    list: 'listWorkspaceWebhooks',
    ownerParameter: 'id',
    idParameter: 'webhookId',
    create: 'createWorkspaceWebhook',
    update: 'updateWorkspaceWebhook',
    delete: 'deleteWorkspaceWebhook',
    nameOf: ({ url }) => url as string,
  },
  {
    kind: 'Freeze',
    record: 'freeze',
    fields: ['starts_at', 'ends_at', 'recurrence', 'timezone', 'message'],
    scope: 'environment',
    list: 'listFreezes',
    ownerParameter: 'id',
    idParameter: 'freezeId',
    create: 'createFreeze',
    update: 'updateFreeze',
    delete: 'deleteFreeze',
  },
  {
    kind: 'Design',
    record: 'design',
    fields: [
      'visibility',
      'source_content',
      'source_encoding',
      'file_name',
      'pattern_file',
      'url',
      'path',
      'values',
      'namespace',
      'release_name',
      'kube_version',
      'api_versions',
      'env',
      'type',
    ],
    scope: 'workspace',
    list: 'listDesigns',
    delete: 'deleteDesign',
  },
  {
    kind: 'Filter',
    record: 'filter',
    fields: ['visibility', 'config', 'module'],
    scope: 'workspace',
    list: 'listFilters',
    delete: 'deleteFilter',
  },
  {
    kind: 'PerformanceProfile',
    record: 'performance-profile',
    fields: [
      'endpoints',
      'protocol',
      'method',
      'load_model',
      'qps',
      'concurrent_request',
      'duration',
      'stages',
      'timeout',
      'request_body',
      'content_type',
      'service_mesh',
      'load_generators',
      'budget',
      'schedule',
      'metrics_queries',
      'metadata',
    ],
    secrets: ['request_headers', 'request_cookies'],
    references: ['metrics_connection'],
    scope: 'workspace',
    list: 'listPerformanceProfiles',
    get: 'getPerformanceProfile',
    create: 'createPerformanceProfile',
    update: 'updatePerformanceProfile',
    delete: 'deletePerformanceProfile',
  },
];

/** Records of the command line that can be made, and are in no document, with the reason. */
export const UNDOCUMENTED_RECORDS: Readonly<Record<string, string>> = {
  token: 'a secret, which is shown once',
  snapshot: 'the history of a design',
};

/** The kind of a document: webhooks belong to a workspace, or to an organization that is named without one. */
export function kindOfDocument(name: string, metadata: { organization?: string; workspace?: string }): DocumentKind {
  const kind = DOCUMENT_KINDS.find((each) => each.kind === name);
  if (!kind) throw new TypeError(`there is no kind ${name}`);
  if (name !== 'Webhook' || metadata.workspace !== undefined || metadata.organization === undefined) return kind;
  return {
    ...kind,
    scope: 'organization',
    list: 'listOrganizationWebhooks',
    ownerParameter: 'orgId',
    create: 'createOrganizationWebhook',
    update: 'updateOrganizationWebhook',
    delete: 'deleteOrganizationWebhook',
  };
}

export const kindNames: readonly string[] = DOCUMENT_KINDS.map(({ kind }) => kind);

/** Whether a record has what a document says of a field. What a server hides of a record is taken for equal. */
export function isEqual(wanted: unknown, held: unknown): boolean {
  if (held === HIDDEN) return true;
  if (isAbsent(wanted) || isAbsent(held)) return isAbsent(wanted) && isAbsent(held);
  if (Array.isArray(wanted) && Array.isArray(held))
    return wanted.length === held.length && sorted(wanted).every((value, index) => isEqual(value, sorted(held)[index]));
  if (typeof wanted === 'object' && typeof held === 'object') {
    const keys = new Set([...Object.keys(wanted as Json), ...Object.keys(held as Json)]);
    return [...keys].every((key) => isEqual((wanted as Json)[key], (held as Json)[key]));
  }
  if (typeof wanted === 'string' && typeof held === 'string' && isHidden(held)) return isShownAs(wanted, held);
  if (typeof wanted === 'string' && typeof held === 'string' && TIME.test(wanted) && TIME.test(held))
    return Date.parse(wanted) === Date.parse(held);
  return wanted === held;
}

/** What a server shows in the place of a secret. */
const HIDDEN = '[redacted]';

/** Whether a server shows a text without its secrets. */
export const isHidden = (shown: string): boolean => shown.includes(HIDDEN);

/** Whether a server shows a URL so: each key is any that may stand in its place. */
export function isShownAs(text: string, shown: string): boolean {
  if (!isHidden(shown) || !URL.canParse(text)) return text === shown;
  const pattern = shown.replace(/\[redacted\]|[.*+?^${}()|[\]\\]/g, (found, offset: number) => {
    if (found !== HIDDEN) return `\\${found}`;
    const before = shown.slice(0, offset);
    if (before.includes('#')) return '.+';
    if (before.includes('?')) return '[^&#]*';
    return shown.startsWith('@', offset + HIDDEN.length) ? '[^@/]+' : '[^/?#]+';
  });
  const { protocol, username, password, host, pathname, search, hash } = new URL(text);
  const user = username || password ? `${username}:${password}@` : '';
  return new RegExp(`^${pattern}$`).test(`${protocol}//${user}${host}${pathname}${search}${hash}`);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
const isAbsent = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
const sorted = (values: readonly unknown[]): unknown[] =>
  [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
