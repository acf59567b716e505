import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { validate } from 'uuid';
import { Access, administeredSql } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { EntitySelect } from '../../core/database/entity-select.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { FilterCondition, Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { parseWords, splitWords } from '../../core/listing/words.js';
import { ClusterResource } from './cluster-resource.entity.js';
import { HEALTH_STATUSES } from './health/health-status.js';
import type { ClusterResourceListQuery } from './resource.inputs.js';
import type { MissingKind, WatchStatus } from './watch/cluster-watch.entity.js';

type Rows = SelectQueryBuilder<ClusterResource>;

/** The number of resources with a name or label. */
export interface ResourceCount {
  name: string;
  count: number;
}

/** The state of the watch of a cluster. */
export interface WatchSummary {
  connection_id: string;
  status: WatchStatus;
  error: string | null;
  kinds: number;
  missing: MissingKind[];
  synced_at: Date | null;
  /** The stored objects may be outdated since this time. */
  stale_since: Date | null;
}

/** Restricts queries about several clusters or namespaces. */
export interface ResourceScope {
  organizationId?: string;
  connectionIds?: string[];
  namespace?: string;
}

/** Identifies an object of a cluster; its version may differ from the stored one. */
export interface ResourceName {
  connection_id: string;
  api_version: string;
  kind: string;
  namespace: string | null;
  name: string;
}

const ALIAS = 'cluster_resource';
/** A watch without a holder does not update its objects. */
const WATCH_COLUMNS = `connection_id, status, error, kinds, missing, synced_at,
  CASE WHEN synced_at IS NOT NULL THEN coalesce(stale_since, CASE WHEN lease_until < now() THEN lease_until END) END AS stale_since`;
const MAX_LABELS = 20;
/** The maximum number of kinds, namespaces and labels in a summary. */
const MAX_COUNTS = 500;

const text = (column: string): string => `${ALIAS}.${column}`;

const listing: Listing<ClusterResource> = {
  alias: ALIAS,
  pageSize: 20,
  order: {
    created_at: { sql: text('created_at'), type: 'timestamptz', getValue: ({ createdAt }) => createdAt },
    updated_at: { sql: text('updated_at'), type: 'timestamptz', getValue: ({ updatedAt }) => updatedAt },
    name: { sql: text('name'), type: 'text', getValue: ({ name }) => name },
    kind: { sql: text('kind'), type: 'text', getValue: ({ kind }) => kind },
    namespace: { sql: text('namespace'), type: 'text', getValue: ({ namespace }) => namespace },
  },
  defaultOrder: 'created_at desc',
  search: [text('name')],
  filter: {
    kind: oneOf('kind'),
    namespace: oneOf('namespace'),
    api_version: oneOf('api_version'),
    health: oneOf('health', HEALTH_STATUSES),
    connection_id: hasId('connection_id'),
    design_id: hasId('design_id'),
    environment_id: hasId('environment_id'),
    labels: hasLabels,
  },
};

/** Resources that the actor may see by the connection. */
@Injectable()
export class ClusterResourcesStore {
  private readonly select = new EntitySelect<ClusterResource>();

  constructor(
    private readonly unit: UnitOfWork,
    private readonly access: Access,
  ) {}

  /** Query parameters are conditions like those of `filter`, which take precedence. */
  async page(
    actor: Actor,
    organizationId: string | undefined,
    query: ClusterResourceListQuery,
  ): Promise<Page<ClusterResource>> {
    const known = organizationId ?? (await this.access.findOnlyOrganization(actor));
    const rows = known
      ? (
          await this.access.onlyVisibleIn(this.createQueryBuilder(), ALIAS, 'connection', actor, known, {
            column: 'connection_id',
          })
        ).rows
      : this.visibleTo(actor);
    return paginate(rows, { ...listing, filterDefaults: query.toConditions() }, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
  }

  /** Returns a resource with its content; null when the actor sees no such resource. */
  async find(actor: Actor, id: string): Promise<ClusterResource | null> {
    return this.visibleTo(actor).addSelect(text('content')).andWhere(`${ALIAS}.id = :id`, { id }).getOne();
  }

  /** Returns up to `limit` resources of these kinds with contents. */
  findByKinds(actor: Actor, scope: ResourceScope, kinds: string[], limit: number): Promise<ClusterResource[]> {
    const rows = this.inScope(this.visibleTo(actor), scope).addSelect(text('content'));
    return rows
      .andWhere(`${text('kind')} = ANY (:kinds)`, { kinds })
      .orderBy(`${ALIAS}.id`)
      .limit(limit)
      .getMany();
  }

  countByKind(actor: Actor, scope: ResourceScope): Promise<ResourceCount[]> {
    return this.countBy(actor, scope, text('kind'));
  }

  /** Lists the namespaces with the number of resources in each. */
  countByNamespace(actor: Actor, scope: ResourceScope): Promise<ResourceCount[]> {
    return this.countBy(actor, scope, text('namespace'), `${text('namespace')} <> ''`);
  }

  /** Lists labels as `name=value`, the most frequent first. */
  async countByLabel(actor: Actor, scope: ResourceScope): Promise<ResourceCount[]> {
    const rows = this.inScope(this.visibleTo(actor), scope).select(text('labels'), 'labels').addSelect('count(*)', 'n');
    const [sql, parameters] = rows.groupBy(text('labels')).getQueryAndParameters();
    return this.unit.manager.query(
      `SELECT label.key || '=' || label.value AS name, sum(counted.n)::int AS count
         FROM (${sql}) counted CROSS JOIN LATERAL jsonb_each_text(counted.labels) label
        GROUP BY 1 ORDER BY count DESC, name LIMIT ${MAX_COUNTS}`,
      parameters,
    );
  }

  /** Lists the namespaces of clusters. */
  async listNamespaces(actor: Actor, connectionIds: string[]): Promise<string[]> {
    const rows = this.inScope(this.visibleTo(actor), { connectionIds });
    const found = await rows
      .andWhere(`${text('kind')} = 'Namespace' AND ${text('api_version')} = 'v1'`)
      .select(`DISTINCT ${text('name')}`, 'name')
      .orderBy('name')
      .getRawMany<{ name: string }>();
    return found.map(({ name }) => name);
  }

  /** Returns the existing ones of these objects by index, without contents. */
  async findByName(names: ResourceName[]): Promise<Map<number, ClusterResource>> {
    if (names.length === 0) return new Map();
    const found = await this.unit.manager.query<(ClusterResource & { position: number })[]>(
      `SELECT wanted.position::int - 1 AS position, r.id, r.connection_id AS "connectionId", r.api_version AS "apiVersion", r.kind,
              r.namespace, r.name, r.health, r.health_message AS "healthMessage", r.design_id AS "designId", r.updated_at AS "updatedAt"
         FROM ROWS FROM (jsonb_to_recordset($1::jsonb)
                AS (connection_id uuid, api_version text, kind text, namespace text, name text)) WITH ORDINALITY
              AS wanted (connection_id, api_version, kind, namespace, name, position)
         JOIN ${ALIAS} r ON r.connection_id = wanted.connection_id AND r.kind = wanted.kind
          AND r.namespace = wanted.namespace AND r.name = wanted.name
          AND CASE WHEN r.api_version LIKE '%/%' THEN split_part(r.api_version, '/', 1) ELSE '' END
            = CASE WHEN wanted.api_version LIKE '%/%' THEN split_part(wanted.api_version, '/', 1) ELSE '' END`,
      [JSON.stringify(names.map(toName))],
    );
    return new Map(found.map(({ position, ...resource }) => [position, resource]));
  }

  /** Returns the state of the watches of connections that the actor may see. */
  async listWatches(actor: Actor, { organizationId, connectionIds }: ResourceScope): Promise<WatchSummary[]> {
    return this.unit.manager.query(
      `SELECT ${WATCH_COLUMNS} FROM cluster_watch w
        WHERE ($1::uuid IS NULL OR ${visibleTo('w', '$1')}) AND ($2::uuid IS NULL OR organization_id = $2)
          AND ($3::uuid[] IS NULL OR connection_id = ANY ($3)) ORDER BY connection_id LIMIT ${MAX_COUNTS}`,
      [actor.userId, organizationId ?? null, connectionIds ?? null],
    );
  }

  private async countBy(
    actor: Actor,
    scope: ResourceScope,
    column: string,
    condition = 'true',
  ): Promise<ResourceCount[]> {
    const rows = this.inScope(this.visibleTo(actor), scope).andWhere(condition);
    return rows
      .select(column, 'name')
      .addSelect('count(*)::int', 'count')
      .groupBy(column)
      .orderBy('count', 'DESC')
      .addOrderBy('name', 'ASC')
      .limit(MAX_COUNTS)
      .getRawMany<ResourceCount>();
  }

  private inScope(rows: Rows, { organizationId, connectionIds, namespace }: ResourceScope): Rows {
    if (organizationId) rows.andWhere(`${text('organization_id')} = :organizationId`, { organizationId });
    if (connectionIds) rows.andWhere(`${text('connection_id')} = ANY (:connectionIds)`, { connectionIds });
    if (namespace) rows.andWhere(`${text('namespace')} = :namespace`, { namespace });
    return rows;
  }

  private visibleTo(actor: Actor): Rows {
    const rows = this.createQueryBuilder();
    return actor.isSystem ? rows : rows.andWhere(visibleTo(ALIAS, ':actorId'), { actorId: actor.userId });
  }

  private createQueryBuilder(): Rows {
    return this.unit.manager.getRepository(ClusterResource).createQueryBuilder(ALIAS);
  }
}

/** As the rows have it. Row-level security keeps `coalesce` from being looked up in an index. */
const toName = ({ connection_id, api_version, kind, namespace, name }: ResourceName): ResourceName => ({
  ...{ connection_id, api_version, kind, namespace: namespace ?? '', name },
});

/** PostgreSQL evaluates the roles once per statement, not once per resource. */
const visibleTo = (alias: string, userId: string): string =>
  `(${administeredSql(alias, userId)} OR ${alias}.connection_id = ANY (ARRAY(SELECT granted_resources(${userId}, 'connection'))))`;

function oneOf(key: string, words?: readonly string[]): FilterCondition<ClusterResource> {
  return (rows, value) => {
    const wanted = parseWords(key, value, words);
    if (wanted) rows.andWhere(`${text(key)} = ANY (:filter_${key})`, { [`filter_${key}`]: wanted });
  };
}

function hasId(key: string): FilterCondition<ClusterResource> {
  return (rows, value) => {
    if (!validate(value)) throw InvalidRequest.forField(key, 'must be a UUID');
    rows.andWhere(`${text(key)} = :filter_${key}`, { [`filter_${key}`]: value });
  };
}

/** Filters by an equality-based label selector like `kubectl get -l`. */
function hasLabels(rows: Rows, value: unknown): void {
  if (typeof value !== 'string') throw InvalidRequest.forField('labels', 'must be a text such as app=web,tier');
  const wanted = splitWords(value);
  if (wanted.length > MAX_LABELS) throw InvalidRequest.forField('labels', `must name at most ${MAX_LABELS} labels`);
  const equal: Record<string, string> = {};
  const present: string[] = [];
  for (const each of wanted) {
    const [, name = '', label] = /^([^=!\s]+)(?:={1,2}([^=\s]*))?$/.exec(each) ?? [];
    if (name === '') throw InvalidRequest.forField('labels', 'must be name=value or name, with commas between several');
    if (label === undefined) present.push(name);
    else equal[name] = label;
  }
  if (Object.keys(equal).length > 0)
    rows.andWhere(`${text('labels')} @> CAST(:filter_equal AS jsonb)`, { filter_equal: JSON.stringify(equal) });
  if (present.length > 0)
    rows.andWhere(`jsonb_exists_all(${text('labels')}, CAST(:filter_present AS text[]))`, { filter_present: present });
}
