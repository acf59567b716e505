import { ObjectType } from '@nestjs/graphql';
import { IdField, RecordField, TextField } from '../core/schema/view-fields.js';
import type { DeployedResource } from './deployment.entity.js';

@ObjectType('KeptResource', { description: 'Identifies an object on a cluster.' })
export class KeptResourceView {
  @TextField()
  api_version!: string;

  @TextField()
  kind!: string;

  @TextField({ nullable: true })
  namespace!: string | null;

  @TextField()
  name!: string;

  @IdField()
  connection_id!: string;
}

@ObjectType('KeptObject', { description: 'An object that a deployment left on the cluster.' })
export class KeptObjectView {
  @RecordField(() => KeptResourceView, { description: 'What was left.' })
  resource!: KeptResourceView;

  @TextField({ description: 'Why it was left.' })
  reason!: string;

  static of(this: void, resource: KeptResourceView, reason: string): KeptObjectView {
    const { api_version, kind, namespace, name, connection_id } = resource;
    const identity = Object.assign(new KeptResourceView(), { api_version, kind, namespace, name, connection_id });
    return Object.assign(new KeptObjectView(), { resource: identity, reason });
  }

  static fromResources(this: void, resources: DeployedResource[]): KeptObjectView[] {
    return resources.flatMap((resource) => {
      const { status, message, error } = resource;
      if (status === 'kept') return KeptObjectView.of(resource, message ?? '');
      return error?.reason === 'FOREIGN_CONTENT' ? KeptObjectView.of(resource, error.detail) : [];
    });
  }
}
