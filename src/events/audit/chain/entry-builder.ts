import { validate } from 'uuid';
import type { ActorKind, Outcome } from '../audit.entity.js';
import { canonicalJson } from '../../../core/json/canonical-json.js';
import { sha256 } from './entry-hash.js';
import { readRefusal, toValidRow, type TracedRow } from './pending-row.js';
import { redactMembers } from './redacted-fields.js';

/** The maximum length of a value as JSON; longer values are replaced by their length and digest. */
const MAX_VALUE_LENGTH = 16_384;
/** The maximum number of changes of other records in one entry; further ones are separate entries. */
const MAX_CHANGES = 200;

/** The prefix of `acting` in rows of database sessions that are not the server's. */
const DATABASE_LOGIN = 'database ';
/** The actor name of rows whose request has no valid signature. */
const UNSIGNED = 'not signed by the server';

/** Values of changed fields, by column. */
type Fields = Record<string, unknown> | null;

/** An entry without the actor's account, number and hash, which sealing adds. */
export interface UnsealedEntry {
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
 * Builds entries from the pending rows of transactions: one for each event, with the changes of its record and those of other records
 * without an event of their own; and one for each change in a transaction without events.
 */
export function buildEntries(rows: readonly TracedRow[]): UnsealedEntry[] {
  const entries: UnsealedEntry[] = [];
  for (const group of groupByTransaction(rows.map((row) => toValidRow(row)))) entries.push(...buildTransaction(group));
  return entries;
}

/** Groups by transaction and request, so that a row written by hand does not become part of a user's entry. */
function* groupByTransaction(rows: readonly TracedRow[]): Generator<TracedRow[]> {
  const groups = new Map<string, TracedRow[]>();
  for (const [index, row] of rows.entries()) {
    const key = isCall(row) ? `call ${index}` : `${row.transaction} ${row.context}`;
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  yield* groups.values();
}

function buildTransaction(rows: TracedRow[]): UnsealedEntry[] {
  const events = rows.filter(({ source }) => source === 'event');
  const changes = new Set(rows.filter((row) => row.source !== 'event' && !isCall(row)));
  const withChanges = events.map((event) => ({
    event,
    own: takeOwnChanges(event, changes),
    others: [] as TracedRow[],
  }));
  for (const change of [...changes]) {
    const nearest = withChanges.find(
      ({ event, others }) => event.chain === change.chain && others.length < MAX_CHANGES,
    );
    if (!nearest) continue;
    nearest.others.push(change);
    changes.delete(change);
  }
  return [
    ...withChanges.map(({ event, own, others }) => buildEvent(event, own, others)),
    ...[...changes].map((change) =>
      buildEntry(change, { before: showFields(change.before), after: showFields(change.after) }),
    ),
    ...rows.filter(isCall).map(buildCall),
  ];
}

/** Removes the changes of the event's record from `changes` and returns them. */
function takeOwnChanges(event: TracedRow, changes: Set<TracedRow>): TracedRow[] {
  const own = [...changes].filter(
    ({ resourceType, resourceId }) => resourceType === event.resourceType && resourceId === event.resourceId,
  );
  for (const change of own) changes.delete(change);
  return own;
}

function buildEvent(event: TracedRow, own: TracedRow[], others: TracedRow[]): UnsealedEntry {
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
  const entry = buildEntry(event, {
    // Of several changes of one record, the first has the old values and the last the new ones.
    before: showFields(mergeFields(own.map(({ before }) => before).reverse())),
    after: showFields(mergeFields(own.map(({ after }) => after))),
    event_id,
    workspace_id: workspace_id ?? undefined,
    metadata: metadata && Object.keys(metadata).length > 0 ? boundFields({ ...metadata }) : undefined,
    changes:
      others.length > 0
        ? others.map(({ action, resourceType, resourceId, before, after }) => ({
            action,
            resource: { type: resourceType, id: resourceId },
            before: showFields(before),
            after: showFields(after),
          }))
        : undefined,
  });
  if (entry.actorKind === 'system' && typeof system_actor === 'string') entry.personal.system_actor ??= system_actor;
  return entry;
}

const mergeFields = (fields: Fields[]): Fields => {
  const some = fields.filter((each) => each !== null);
  return some.length === 0 ? null : (Object.assign({}, ...some) as Record<string, unknown>);
};

/** Reports whether a row is of a call itself: refused, or carried out without a change. */
const isCall = ({ source }: TracedRow): boolean => source === 'refusal' || source === 'call';

/** The details of a call are its fields; it has no changes. */
function buildCall(row: TracedRow): UnsealedEntry {
  const { reason: _, count: __, ...details } = row.after ?? {};
  const outcome = row.source === 'refusal' ? 'refused' : 'allowed';
  return { ...buildEntry(row, boundFields(details) ?? {}), outcome, ...readRefusal(row.after) };
}

function buildEntry(row: TracedRow, details: Record<string, unknown>): UnsealedEntry {
  const { request } = row;
  return {
    chain: row.chain,
    createdAt: row.createdAt,
    transaction: row.transaction,
    action: row.action,
    outcome: 'allowed',
    reason: null,
    count: 1,
    ...findActor(row),
    tokenId: toId(request?.token),
    via: request?.via ?? (isByHand(row) ? 'database' : 'server'),
    requestId: request?.request || null,
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    personal: {
      system_actor: findSystemActor(row),
      address: request?.address,
      user_agent: request?.agent,
    },
    details: { ...details, operation: request?.operation },
  };
}

/**
 * Reports whether a row was written by someone other than the server. The server signs the request of every transaction; rows that it
 * writes outside of a request act as the system. Rows without a valid signature are attributed to no user.
 */
const isByHand = ({ request, context, acting }: TracedRow): boolean =>
  request === null && (context !== null || acting !== 'system');

const isDatabaseLogin = (acting: string | null): boolean => acting?.startsWith(DATABASE_LOGIN) ?? false;

function findActor(row: TracedRow): Pick<UnsealedEntry, 'actorKind' | 'actorId' | 'onBehalfOf'> {
  const { acting, action, after, request } = row;
  const onBehalfOf = toId(request?.onBehalfOf);
  if (isByHand(row)) return { actorKind: 'database', actorId: null, onBehalfOf };
  // A sign-in has no token yet; the actor is the user of the new session.
  const opened = action === 'session.created' ? toId(after?.['user_id']) : null;
  const user = toId(request?.caller) ?? opened ?? (request?.system ? null : toId(acting));
  if (user) return { actorKind: 'user', actorId: user, onBehalfOf };
  const isSystem = request?.system !== undefined || (acting === 'system' && !request?.address);
  return { actorKind: isSystem ? 'system' : 'anonymous', actorId: null, onBehalfOf };
}

function findSystemActor(row: TracedRow): string | undefined {
  if (!isByHand(row)) return row.request?.system;
  return isDatabaseLogin(row.acting) ? row.acting?.slice(DATABASE_LOGIN.length) : UNSIGNED;
}

const toId = (value: unknown): string | null => (typeof value === 'string' && validate(value) ? value : null);

/** Returns the fields with secrets in objects redacted. */
function showFields(fields: Fields): Fields {
  if (!fields) return null;
  const shown = Object.entries(fields).map(([name, value]) => [name, isObject(value) ? redactMembers(value) : value]);
  return boundFields(Object.fromEntries(shown) as Record<string, unknown>);
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Replaces long values by their length and digest, which still show that they changed. */
function boundFields(fields: Fields): Fields {
  if (!fields) return null;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      if (isSurelyShort(value)) return [name, value];
      const text = canonicalJson(value);
      return [
        name,
        text.length <= MAX_VALUE_LENGTH ? value : { omitted_characters: text.length, sha256: sha256(text) },
      ];
    }),
  );
}

/** A character of a string takes at most six characters in JSON. */
const isSurelyShort = (value: unknown): boolean =>
  typeof value === 'string' ? value.length * 6 + 2 <= MAX_VALUE_LENGTH : typeof value !== 'object' || value === null;
