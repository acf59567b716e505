import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { IsIn } from 'class-validator';
import { IntField, RecordsField, TextField } from '../../core/schema/view-fields.js';
import type { Resync } from './watch/cluster-watch.entity.js';

@ObjectType({ description: 'A namespace of a cluster.' })
export class NameSpace {
  @TextField()
  namespace!: string;
}

@ObjectType({ description: 'An object of a cluster as text.' })
export class KctlDescribeDetails {
  @TextField({ description: 'The object and its events, as kubectl describe shows them.' })
  describe!: string;

  @TextField({ description: 'The id of the connection.' })
  ctxid!: string;
}

@ObjectType({ description: 'The number of objects of one kind.' })
export class ClusterResourceCount {
  @TextField()
  kind!: string;

  @IntField()
  count!: number;
}

@ObjectType({ description: 'The objects on clusters, counted by kind.' })
export class ClusterResources {
  @RecordsField(() => ClusterResourceCount, {
    description: 'The kinds with their numbers of objects, the largest first.',
  })
  resources!: ClusterResourceCount[];
}

const FLAGS = ['true', 'false'];
const IsFlag = (): PropertyDecorator => IsIn(FLAGS, { message: 'must be "true" or "false"' });

@InputType({ description: 'The options of a resync of a cluster.' })
export class ReSyncActions {
  @Field(() => String, { description: '"true": the stored resources of the cluster are removed first.' })
  @IsFlag()
  clearDB!: string;

  @Field(() => String, { description: '"true": everything is listed again.' })
  @IsFlag()
  ReSync!: string;

  @Field(() => String, { description: '"true": the kinds are discovered again as well.' })
  @IsFlag()
  hardReset!: string;
}

/** Returns null when no action is requested. */
export function toResync({ hardReset, clearDB, ReSync }: ReSyncActions): Resync | null {
  if (hardReset === 'true') return 'discover';
  if (clearDB === 'true') return 'clear';
  return ReSync === 'true' ? 'list' : null;
}
