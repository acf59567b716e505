import { roleRank } from '../core/access/roles.js';

/** A rule that grants the right to read an event: a role that matches the event in these columns. */
interface ReadRule {
  event: string[];
  role: string[];
  /** SQL of a further condition on the role or the event. */
  ifRole?: (role: string) => string;
  ifEvent?: (event: string) => string;
}

const READ_RULES: ReadRule[] = [
  // Users with a role on its workspace, or on its record.
  { event: ['workspace_id'], role: ['resource_id'] },
  { event: ['acted_upon'], role: ['resource_id'] },
  // Admins of the organization.
  {
    event: ['organization_id'],
    role: ['organization_id'],
    ifRole: (role) => `${role}.role >= ${roleRank('organization_admin')}`,
  },
  // Members of the organization, when it is about the organization itself.
  {
    event: ['organization_id'],
    role: ['organization_id'],
    ifEvent: (event) => `${event}.category IN ('organization', 'team', 'member') AND ${event}.workspace_id IS NULL`,
  },
  // The actor of the event, while they are a member.
  { event: ['organization_id', 'user_id'], role: ['organization_id', 'user_id'] },
];

/** Events outside of organizations: all users read those of the registry; those of an account, its user and the actor. */
const readableWithoutRole = (event: string, user: string): string =>
  `(${event}.organization_id IS NULL
    AND (${event}.category = 'registry' OR ${event}.user_id = ${user} OR ${event}.acted_upon = ${user}))`;

/** SQL of whether a user may read an event; `roles` are the rows of `roles_of` for the user. */
export function readableSql(event: string, roles: string, user: string): string {
  const ways = READ_RULES.map(({ ifEvent, ifRole, ...way }) => {
    const agreeing = `SELECT ${way.role.join(', ')} FROM ${roles} WHERE ${ifRole?.(roles) ?? 'true'}`;
    return `((${columnList(event, way.event)}) IN (${agreeing}) AND ${ifEvent?.(event) ?? 'true'})`;
  });
  return `(${[...ways, readableWithoutRole(event, user)].join(' OR ')})`;
}

/**
 * SQL of the pairs `id, user_id` of `events` and the users who may read them; `roles` are the rows of `roles_in` for the organization and
 * the array `users`.
 */
export function readersSql(events: string, roles: string, users: string): string {
  const ways = READ_RULES.map(({ ifEvent, ifRole, ...way }) => {
    const agreeing = `(${columnList('e', way.event)}) = (${columnList('r', way.role)})`;
    const conditions = [agreeing, ifEvent?.('e') ?? 'true', ifRole?.('r') ?? 'true'].join(' AND ');
    return `SELECT e.id, r.user_id FROM ${events} e JOIN ${roles} r ON ${conditions}`;
  });
  const others = `SELECT e.id, u.id FROM ${events} e JOIN unnest(${users}) AS u (id) ON ${readableWithoutRole('e', 'u.id')}`;
  return [...ways, others].join(' UNION ');
}

const columnList = (alias: string, names: string[]): string => names.map((name) => `${alias}.${name}`).join(', ');
