import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../core/listing/page.js';
import { IdField, MapField, RecordsField, TextField, EnumField, graphqlEnum } from '../core/schema/view-fields.js';
import { RecordView } from '../core/schema/record.view.js';
import { CONNECTION_STATUSES, type ConnectionStatus } from './connection-status.js';
import type { Connection } from './connection.entity.js';

const ConnectionStatusEnum = graphqlEnum('ConnectionStatus', CONNECTION_STATUSES, 'The status of a connection.');

/** An environment that a connection is in. */
@ObjectType('EnvironmentName', { description: 'An environment by its name.' })
export class EnvironmentName {
  @IdField()
  id!: string;

  @TextField()
  name!: string;
}

@ObjectType('Connection', { description: 'A cluster or another system that is managed.' })
export class ConnectionView extends RecordView {
  @TextField()
  name!: string;

  @TextField()
  kind!: string;

  @TextField()
  type!: string;

  @TextField()
  sub_type!: string;

  @EnumField(ConnectionStatusEnum)
  status!: ConnectionStatus;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  @IdField({ nullable: true })
  credential_id!: string | null;

  @IdField()
  organization_id!: string;

  @IdField({ description: 'The user who created it.' })
  owner!: string;

  @RecordsField(() => EnvironmentName, { optional: true, description: 'In lists only: the environments it is in.' })
  environments?: EnvironmentName[];

  static fromEntity(this: void, connection: Connection): ConnectionView {
    return RecordView.assignRecord(new ConnectionView(), connection, {
      name: connection.name,
      kind: connection.kind,
      type: connection.type,
      sub_type: connection.subType,
      status: connection.status,
      metadata: connection.metadata,
      credential_id: connection.credentialId,
      organization_id: connection.organizationId,
      owner: connection.owner,
    });
  }

  /** A connection of a list, with its environments that the caller may see. */
  static fromListed(this: void, { connection, environments }: ListedConnection): ConnectionView {
    return Object.assign(ConnectionView.fromEntity(connection), { environments });
  }
}

export interface ListedConnection {
  connection: Connection;
  environments: EnvironmentName[];
}

export const ConnectionPage = PaginatedView(ConnectionView, 'connections', 'ConnectionPage');
