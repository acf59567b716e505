/**
 * Every kind of event, by category. A kind is written as `<category>.<action>`; a test checks that kinds and event
 * classes match.
 */
export const EVENT_KINDS = {
  organization: ['created', 'updated', 'deleted', 'events_purged', 'personal_data_erased'],
  team: ['created', 'updated', 'deleted', 'member_added', 'member_removed'],
  member: ['invited', 'added', 'role_changed', 'removed'],
  user: ['created', 'updated', 'deactivated', 'reactivated', 'password_changed', 'confirmed', 'linked', 'unlinked'],
  token: ['created', 'revoked'],
  connection: ['created', 'updated', 'status_changed', 'deleted'],
  credential: ['created', 'updated', 'deleted'],
  registry: ['registered', 'status_changed', 'deleted'],
  environment: ['created', 'updated', 'archived', 'restored', 'deleted', 'connection_added', 'connection_removed'],
  workspace: [
    'created',
    'updated',
    'archived',
    'restored',
    'deleted',
    'environment_assigned',
    'environment_unassigned',
    'quota_changed',
  ],
  design: ['created', 'imported', 'updated', 'moved', 'cloned', 'published', 'unpublished', 'deleted', 'restored'],
  filter: ['created', 'updated', 'cloned', 'published', 'unpublished', 'deleted', 'restored'],
  deployment: [
    'requested',
    'approved',
    'started',
    'progress',
    'success',
    'failure',
    'cancelled',
    'rolled_back',
    'undeployed',
    'drifted',
    'healed',
  ],
  controller: ['deployed', 'undeployed', 'failure'],
  policy: ['violation'],
  performance: [
    'profile_created',
    'profile_updated',
    'profile_deleted',
    'started',
    'success',
    'failure',
    'cancelled',
    'budget_exceeded',
  ],
  webhook: ['created', 'updated', 'rotated', 'failing', 'disabled', 'deleted'],
} as const satisfies Record<string, readonly string[]>;

/** Lists all kinds. */
export const listEventKinds = (): { kind: string; category: string; action: string }[] =>
  Object.entries(EVENT_KINDS).flatMap(([category, actions]) =>
    actions.map((action) => ({ kind: `${category}.${action}`, category, action })),
  );

export const EVENT_CATEGORIES: readonly string[] = Object.keys(EVENT_KINDS);

export const EVENT_ACTIONS: readonly string[] = [...new Set(listEventKinds().map(({ action }) => action))];

/** Kinds that only report progress. Subscribers receive them on request, by name or by following the record. */
const INTERIM_KINDS: readonly { category: string; action: string }[] = [{ category: 'deployment', action: 'progress' }];

/** SQL condition that is true for an `event` of these kinds. */
export const INTERIM_SQL = `(${INTERIM_KINDS.map(
  ({ category, action }) => `event.category = '${category}' AND event.action = '${action}'`,
).join(' OR ')})`;

/** Reports whether an event only reports progress. */
export const isInterim = (event: { category: string; action: string }): boolean =>
  INTERIM_KINDS.some(({ category, action }) => event.category === category && event.action === action);

/** Kinds of events that may change the roles of users, and so which events they may read. */
const ROLE_KINDS: ReadonlySet<string> = new Set([
  ...['organization.deleted', 'member.added', 'member.role_changed', 'member.removed'],
  ...['team.deleted', 'team.member_added', 'team.member_removed'],
  ...['workspace.archived', 'workspace.restored', 'workspace.deleted'],
  ...['workspace.environment_assigned', 'workspace.environment_unassigned'],
  ...['environment.restored', 'environment.deleted', 'environment.connection_added', 'environment.connection_removed'],
  'connection.deleted',
]);

/** Reports whether the event may change the roles of a user. */
export const mayChangeRoles = ({ category, action }: { category: string; action: string }): boolean =>
  ROLE_KINDS.has(`${category}.${action}`);
