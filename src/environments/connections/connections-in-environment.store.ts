import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.entity.js';
import type { EnvironmentName } from '../../connections/connection.view.js';
import { connectionListing, ConnectionsStore } from '../../connections/connections.store.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { visibleSql } from '../../core/authorization/access.service.js';
import { deletedAtFilter } from '../../core/authorization/deleted-at-filter.js';
import type { Actor } from '../../core/access/actor.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { booleanFilter, type Listing } from '../../core/listing/listing.js';
import { parseFilter } from '../../core/listing/list-filters.js';
import type { Page } from '../../core/listing/page.js';

const MAPPING = `EXISTS (SELECT FROM environment_connection m
  WHERE m.connection_id = connection.id AND m.environment_id = :environmentId AND`;
const IS_ASSIGNED = `${MAPPING} m.deleted_at IS NULL)`;
/** Mappings are deleted with their connection, and come back with it. */
const WAS_ASSIGNED = `${MAPPING} m.deleted_at = connection.deleted_at)`;

/** The connections of one environment, or with `assigned: false` those of its organization that are not in it. */
const listingBy = (isAssigned: string): Listing<Connection> => ({
  ...connectionListing,
  filter: {
    deleted_at: deletedAtFilter('connection', connectionPolicy.restore.needs),
    assigned: booleanFilter('assigned', (rows, yes) => rows.andWhere(yes ? isAssigned : `NOT ${isAssigned}`)),
  },
  filterDefaults: { deleted_at: false, assigned: true },
});
const listing = listingBy(IS_ASSIGNED);
const deletedListing = listingBy(WAS_ASSIGNED);

/** Connections by the environments that they are in. */
@Injectable()
export class ConnectionsInEnvironmentStore extends ConnectionsStore {
  pageOfEnvironment(
    actor: Actor,
    environment: { id: string; organizationId: string },
    query: ListQuery,
  ): Promise<Page<Connection>> {
    const rows = this.visibleTo(actor).andWhere('connection.organization_id = :organizationId', {
      organizationId: environment.organizationId,
      environmentId: environment.id,
    });
    const { deleted_at: deleted } = parseFilter(listing, query.filter);
    return this.paginate(rows, deleted === true ? deletedListing : listing, query);
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
}
