import { validate } from 'uuid';
import type { AuditedRequest } from '../../../core/database/audited-request.js';
import type { ActorKind, Outcome, PendingAuditRow } from '../audit.entity.js';
import { canonicalJson } from './canonical-json.js';
import { sha256 } from './entry-hash.js';

/** Characters of one value, as JSON, that an entry shows; of a longer one it has the digest. */
const MAX_VALUE_LENGTH = 16_384;
/** Changes of other records that one entry tells; further ones are entries of their own. */
const MAX_CHANGES = 200;

/** Values of the fields that were changed, by their columns. */
type Fields = Record<string, unknown> | null;

/** What was done, before it is told who did it and where it stands in the chain. */
export interface Deed {
  chain: string;
  createdAt: Date;
  transaction: string;
  action: string;
  outcome: Outcome;
  reason: string | null;
  count: number;
  actorKind: ActorKind;
  actorId: string | null;
  onBehalfOf: string | null;
  tokenId: string | null;
  via: string;
  requestId: string | null;
  resourceType: string;
  resourceId: string | null;
  personal: { system_actor?: string; address?: string; user_agent?: string };
  details: Record<string, unknown>;
}

/**
 * Makes deeds of what transactions left behind: an event with the changes of its record, and with the changes of other records
 * that nobody published an event of; a change without any event stands for itself.
 */
export function buildDeeds(rows: readonly PendingAuditRow[]): Deed[] {
  const deeds: Deed[] = [];
  for (const group of groupByTransaction(rows)) deeds.push(...buildTransaction(group));
  return deeds;
}

function* groupByTransaction(rows: readonly PendingAuditRow[]): Generator<PendingAuditRow[]> {
  const groups = new Map<string, PendingAuditRow[]>();
  for (const row of rows) {
    const key = row.source === 'refusal' ? `refusal ${row.position}` : row.transaction;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  yield* groups.values();
}

function buildTransaction(rows: PendingAuditRow[]): Deed[] {
  const events = rows.filter(({ source }) => source === 'event');
  const changes = new Set(rows.filter(({ source }) => source === 'change'));
  const told = events.map((event) => ({ event, own: takeOwn(event, changes), others: [] as PendingAuditRow[] }));
  for (const change of [...changes]) {
    const teller = told.find(({ event, others }) => event.chain === change.chain && others.length < MAX_CHANGES);
    if (!teller) continue;
    teller.others.push(change);
    changes.delete(change);
  }
  return [
    ...told.map(({ event, own, others }) => buildEvent(event, own, others)),
    ...[...changes].map((change) =>
      buildDeed(change, { before: boundFields(change.before), after: boundFields(change.after) }),
    ),
    ...rows.filter(({ source }) => source === 'refusal').map(buildRefusal),
  ];
}

/** The changes of the very record that an event tells of. */
function takeOwn(event: PendingAuditRow, changes: Set<PendingAuditRow>): PendingAuditRow[] {
  const own = [...changes].filter(
    ({ resourceType, resourceId }) => resourceType === event.resourceType && resourceId === event.resourceId,
  );
  for (const change of own) changes.delete(change);
  return own;
}

function buildEvent(event: PendingAuditRow, own: PendingAuditRow[], others: PendingAuditRow[]): Deed {
  const {
    event_id,
    workspace_id,
    metadata,
    system_actor = null,
  } = (event.after ?? {}) as {
    event_id?: string;
    workspace_id?: string | null;
    metadata?: object;
    system_actor?: string | null;
  };
  const deed = buildDeed(event, {
    // Of several changes of one record the first has what was before, and the last what came of it.
    before: boundFields(mergeFields(own.map(({ before }) => before).reverse())),
    after: boundFields(mergeFields(own.map(({ after }) => after))),
    event_id,
    workspace_id: workspace_id ?? undefined,
    metadata: metadata && Object.keys(metadata).length > 0 ? boundFields({ ...metadata }) : undefined,
    changes:
      others.length > 0
        ? others.map(({ action, resourceType, resourceId, before, after }) => ({
            action,
            resource: { type: resourceType, id: resourceId },
            before: boundFields(before),
            after: boundFields(after),
          }))
        : undefined,
  });
  if (deed.actorKind === 'system' && system_actor) deed.personal.system_actor ??= system_actor;
  return deed;
}

const mergeFields = (fields: Fields[]): Fields => {
  const some = fields.filter((each) => each !== null);
  return some.length === 0 ? null : (Object.assign({}, ...some) as Record<string, unknown>);
};

/** Refusals are written with what is known of them; nothing was changed. */
function buildRefusal(row: PendingAuditRow): Deed {
  const { reason = null, count = 1, ...details } = (row.after ?? {}) as { reason?: string; count?: number };
  return { ...buildDeed(row, details), outcome: 'refused', reason, count };
}

function buildDeed(row: PendingAuditRow, details: Record<string, unknown>): Deed {
  const request = parseContext(row.context);
  return {
    chain: row.chain,
    createdAt: row.createdAt,
    transaction: row.transaction,
    action: row.action,
    outcome: 'allowed',
    reason: null,
    count: 1,
    ...findActor(row, request),
    tokenId: toId(request?.token),
    via: request?.via ?? (isDatabaseLogin(row.acting) ? 'database' : 'server'),
    requestId: request?.request ?? null,
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    personal: {
      system_actor: findSystemActor(row, request),
      address: request?.address,
      user_agent: request?.agent,
    },
    details: { ...details, operation: request?.operation },
  };
}

/** A change that a person wrote to the database by hand has neither the context nor the user that the server sets. */
const isDatabaseLogin = (acting: string | null): boolean => acting?.startsWith('database ') ?? false;

function findActor(
  { acting, action, after }: PendingAuditRow,
  request: AuditedRequest | null,
): Pick<Deed, 'actorKind' | 'actorId' | 'onBehalfOf'> {
  const onBehalfOf = toId(request?.onBehalfOf);
  const caller = toId(request?.caller) ?? (request ? null : toId(acting));
  if (caller) return { actorKind: 'user', actorId: caller, onBehalfOf };
  // Who signs in has no token yet: it is they who open the session.
  if (action === 'session.created' && toId(after?.['user_id']))
    return { actorKind: 'user', actorId: toId(after?.['user_id']), onBehalfOf };
  if (request?.system) return { actorKind: 'system', actorId: null, onBehalfOf };
  if (isDatabaseLogin(acting)) return { actorKind: 'database', actorId: null, onBehalfOf };
  if (acting === 'system' && !request?.address) return { actorKind: 'system', actorId: null, onBehalfOf };
  if (toId(acting)) return { actorKind: 'user', actorId: toId(acting), onBehalfOf };
  return { actorKind: 'anonymous', actorId: null, onBehalfOf };
}

function findSystemActor({ acting }: PendingAuditRow, request: AuditedRequest | null): string | undefined {
  if (request?.system) return request.system;
  return isDatabaseLogin(acting) ? (acting ?? '').slice('database '.length) : undefined;
}

const toId = (value: unknown): string | null => (typeof value === 'string' && validate(value) ? value : null);

function parseContext(context: string | null): AuditedRequest | null {
  if (!context) return null;
  try {
    return JSON.parse(context) as AuditedRequest;
  } catch {
    return null;
  }
}

/** Values that are too long are told by their length and digest: that they changed is seen all the same. */
function boundFields(fields: Fields): Fields {
  if (!fields) return null;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const text = canonicalJson(value);
      return [
        name,
        text.length <= MAX_VALUE_LENGTH ? value : { omitted_characters: text.length, sha256: sha256(text) },
      ];
    }),
  );
}
