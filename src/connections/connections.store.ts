import { Injectable } from '@nestjs/common';
import { QueryFailedError, type SelectQueryBuilder } from 'typeorm';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { deletedAtFilter } from '../core/authorization/deleted-at-filter.js';
import { storedTotalOf } from '../core/authorization/stored-total.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, wordFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { parseWordList } from '../core/listing/words.js';
import { RecordStore } from '../core/records/record.store.js';
import { Connection } from './connection.entity.js';
import { connectionPolicy } from './connection.policy.js';
import { CONNECTION_STATUSES } from './connection-status.js';

/** Code of the Conflict for a second registration of one server and user. */
export const ALREADY_REGISTERED = 'ALREADY_REGISTERED';

export const connectionListing: Listing<Connection> = {
  alias: 'connection',
  pageSize: 20,
  order: {
    ...recordOrderColumns<Connection>('connection'),
    kind: { sql: 'connection.kind', type: 'text', getValue: (connection) => connection.kind },
    status: { sql: 'connection.status', type: 'text', getValue: (connection) => connection.status },
  },
  defaultOrder: 'created_at desc',
  search: ['connection.name'],
  searchFunction: 'search_connection',
  filter: {
    name: equalsFilter('name', 'connection.name'),
    kind: equalsFilter('kind', 'connection.kind'),
    type: equalsFilter('type', 'connection.type'),
    sub_type: equalsFilter('sub_type', 'connection.sub_type'),
    status: wordFilter('status', 'connection.status', CONNECTION_STATUSES),
    deleted_at: deletedAtFilter('connection', connectionPolicy.restore.needs),
  },
  filterDefaults: { deleted_at: false },
};

/** Restricts a list to some words of columns. */
export interface ConnectionFilter {
  kind?: string;
  type?: string;
  status?: string;
}

/** Connections, visible to the admins of their organization and to users who see one of their environments. */
@Injectable()
export class ConnectionsStore extends RecordStore<Connection> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Connection, 'connection');
  }

  async page(actor: Actor, organizationId: string, query: ConnectionFilter & ListQuery): Promise<Page<Connection>> {
    const visible = await this.access.onlyVisibleIn(
      this.createQueryBuilder(),
      'connection',
      'connection',
      actor,
      organizationId,
    );
    const { kind, type, status } = query;
    const words = Object.entries({
      kind: parseWordList('kind', kind),
      type: parseWordList('type', type),
      status: parseWordList('status', status, CONNECTION_STATUSES),
    }).filter(([, some]) => some !== undefined);
    for (const [column, some] of words)
      visible.rows.andWhere(`connection.${column} = ANY (:only_${column})`, { [`only_${column}`]: some });
    const stored = words.length === 0 ? storedTotalOf(visible, 'connection') : undefined;
    return this.paginate(visible.rows, connectionListing, query, stored);
  }

  /** @throws Conflict ALREADY_REGISTERED when another connection got this fingerprint concurrently */
  override async insert(connection: Connection): Promise<Connection> {
    return super.insert(connection).catch((error: unknown) => {
      const cause = error instanceof QueryFailedError ? (error.driverError as { constraint?: string }) : {};
      if (cause.constraint !== 'connection_fingerprint') throw error;
      throw new Conflict(ALREADY_REGISTERED, 'this server and user are being registered by another call', {
        remedy: 'Repeat the call: it then updates the connection that the other one registered.',
      });
    });
  }

  /** The references that a restored connection keeps: its credential if that exists, its fingerprint if no other connection has it. */
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

  /** What is masked in the metadata, encrypted; null when nothing is. */
  async findMetadataSecrets(id: string): Promise<Buffer | null> {
    const row = await this.createQueryBuilder()
      .addSelect('connection.metadata_secrets', 'sealed')
      .where('connection.id = :id', { id })
      .getRawOne<{ sealed: Buffer | null }>();
    return row?.sealed ?? null;
  }

  findByFingerprint(organizationId: string, fingerprint: string): Promise<Connection | null> {
    return this.repository.findOneBy({ organizationId, fingerprint });
  }

  /** The connections of a kind with the status `connected` that the actor sees, by name. */
  listConnected(actor: Actor, kind: string, limit: number): Promise<Connection[]> {
    return this.getMany(
      this.visibleTo(actor)
        .andWhere(`connection.kind = :kind AND connection.status = 'connected'`, { kind })
        .orderBy('connection.name')
        .addOrderBy('connection.id')
        .limit(limit),
    );
  }

  pageByCredential(credentialId: string, query: ListQuery): Promise<Page<Connection>> {
    const rows = this.createQueryBuilder().where('connection.credential_id = :credentialId', { credentialId });
    return this.paginate(rows, connectionListing, query);
  }

  /** The connections that use a credential. */
  findByCredential(credentialId: string): Promise<Connection[]> {
    return this.repository.find({ where: { credentialId }, order: { name: 'ASC', id: 'ASC' } });
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Connection> {
    return this.access.onlyVisible(this.createQueryBuilder(), 'connection', 'connection', actor);
  }
}
