import { Injectable } from '@nestjs/common';
import { QueryFailedError, type SelectQueryBuilder } from 'typeorm';
import { Access, visibleSql } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { deletedAtFilter } from '../core/access/deleted-at-filter.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { booleanFilter, equalsFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { Connection } from './connection.entity.js';
import type { EnvironmentName } from './connection.view.js';
import { connectionPolicy } from './connection.policy.js';

/** Code of the Conflict that a second registration of one server and user meets. */
export const ALREADY_REGISTERED = 'ALREADY_REGISTERED';

const deletedFilter: Listing<Connection>['filter'] = {
  deleted_at: deletedAtFilter('connection', connectionPolicy.restore.needs),
};

const listing: Listing<Connection> = {
  alias: 'connection',
  pageSize: 20,
  order: {
    ...recordOrderColumns<Connection>('connection'),
    kind: { sql: 'connection.kind', type: 'text', getValue: (connection) => connection.kind },
    status: { sql: 'connection.status', type: 'text', getValue: (connection) => connection.status },
  },
  defaultOrder: 'created_at desc',
  search: ['connection.name'],
  filter: {
    name: equalsFilter('name', 'connection.name'),
    kind: equalsFilter('kind', 'connection.kind'),
    type: equalsFilter('type', 'connection.type'),
    sub_type: equalsFilter('sub_type', 'connection.sub_type'),
    status: equalsFilter('status', 'connection.status'),
    ...deletedFilter,
  },
  filterDefaults: { deleted_at: false },
};

const IS_ASSIGNED = `EXISTS (SELECT FROM environment_connection m
  WHERE m.connection_id = connection.id AND m.environment_id = :environmentId AND m.deleted_at IS NULL)`;

/** The connections of one environment, or with `assigned: false` those of its organization that are not in it. */
const environmentListing: Listing<Connection> = {
  ...listing,
  filter: {
    ...deletedFilter,
    assigned: booleanFilter('assigned', (rows, yes) => rows.andWhere(yes ? IS_ASSIGNED : `NOT ${IS_ASSIGNED}`)),
  },
  filterDefaults: { deleted_at: false, assigned: true },
};

/** Connections as their viewers see them: admins those of their organization, others those of the environments they see. */
@Injectable()
export class ConnectionsStore extends Store<Connection> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Connection, 'connection');
  }

  page(actor: Actor, organizationId: string, query: ListQuery): Promise<Page<Connection>> {
    const rows = this.access.onlyVisibleIn(
      this.createQueryBuilder(),
      'connection',
      'connection',
      actor,
      organizationId,
    );
    return this.paginate(rows, listing, query);
  }

  pageOfEnvironment(
    actor: Actor,
    environment: { id: string; organizationId: string },
    query: ListQuery,
  ): Promise<Page<Connection>> {
    const rows = this.visibleTo(actor).andWhere('connection.organization_id = :organizationId', {
      organizationId: environment.organizationId,
      environmentId: environment.id,
    });
    return this.paginate(rows, environmentListing, query);
  }

  /** Those of these ids that the actor may see, by id. */
  async findAll(actor: Actor, ids: readonly string[]): Promise<Map<string, Connection>> {
    const found = await this.visibleTo(actor).andWhere('connection.id = ANY(:ids)', { ids }).getMany();
    return new Map(found.map((each) => [each.id, each]));
  }

  find(actor: Actor, id: string, withDeleted = false): Promise<Connection | null> {
    const rows = this.visibleTo(actor).andWhere('connection.id = :id', { id });
    return (withDeleted ? rows.withDeleted() : rows).getOne();
  }

  lock(actor: Actor, id: string): Promise<Connection | null> {
    return this.visibleTo(actor).andWhere('connection.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** Also when it has been deleted. */
  lockWithDeleted(actor: Actor, id: string): Promise<Connection | null> {
    return this.visibleTo(actor)
      .withDeleted()
      .andWhere('connection.id = :id', { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  /** @throws Conflict ALREADY_REGISTERED when another connection got this fingerprint meanwhile */
  override async insert(connection: Connection): Promise<Connection> {
    return super.insert(connection).catch((error: unknown) => {
      const cause = error instanceof QueryFailedError ? (error.driverError as { constraint?: string }) : {};
      if (cause.constraint !== 'connection_fingerprint') throw error;
      throw new Conflict(ALREADY_REGISTERED, 'this server and user are being registered by another call');
    });
  }

  /** Of what a deleted connection refers to, that which is still there and still its own. */
  async findRestorableReferences({
    id,
    organizationId,
    credentialId,
    fingerprint,
  }: Connection): Promise<Partial<Connection>> {
    const [left] = await this.unit.manager.query<{ credential: boolean; fingerprint: boolean }[]>(
      `SELECT EXISTS (SELECT FROM credential WHERE id = $1 AND deleted_at IS NULL) AS credential,
              NOT EXISTS (SELECT FROM connection WHERE organization_id = $2 AND fingerprint = $3 AND deleted_at IS NULL AND id <> $4) AS fingerprint`,
      [credentialId, organizationId, fingerprint, id],
    );
    return {
      credentialId: left?.credential ? credentialId : null,
      fingerprint: left?.fingerprint ? fingerprint : null,
    };
  }

  findByFingerprint(organizationId: string, fingerprint: string): Promise<Connection | null> {
    return this.repository.findOneBy({ organizationId, fingerprint });
  }

  /** The connections that use a credential. */
  findByCredential(credentialId: string): Promise<Connection[]> {
    return this.repository.find({ where: { credentialId }, order: { name: 'ASC', id: 'ASC' } });
  }

  /** The environments of each of these connections that the actor may see, in one statement. */
  async findEnvironments(actor: Actor, ids: string[]): Promise<Map<string, EnvironmentName[]>> {
    const rows = await this.unit.manager.query<{ connection_id: string; id: string; name: string }[]>(
      `SELECT m.connection_id, e.id, e.name
         FROM environment_connection m JOIN environment e ON e.id = m.environment_id AND e.deleted_at IS NULL
        WHERE m.deleted_at IS NULL AND m.connection_id = ANY($1) AND ($2::uuid IS NULL OR ${visibleSql('e', 'environment', '$2')})
        ORDER BY e.name, e.id`,
      [ids, actor.userId],
    );
    const found = new Map<string, EnvironmentName[]>(ids.map((id) => [id, []]));
    for (const { connection_id, id, name } of rows) found.get(connection_id)?.push({ id, name });
    return found;
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Connection> {
    return this.access.onlyVisible(this.createQueryBuilder(), 'connection', 'connection', actor);
  }
}
