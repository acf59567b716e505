import { Field, InputType, ObjectType } from '@nestjs/graphql';
import { EnumField, graphqlEnum, RecordField, TextField } from '../../core/schema/view-fields.js';
import { type ClusterStatus, StatusEnum } from '../status.enum.js';
import {
  CONTROLLER_STATUSES,
  type ControllerState,
  PLATFORM_CONTROLLERS,
  type PlatformController,
  type PlatformControllerStatus,
  toStatus,
} from './controller-status.js';

const PlatformControllerEnum = graphqlEnum('PlatformController', PLATFORM_CONTROLLERS, 'A controller on a cluster.');
const PlatformControllerStatusEnum = graphqlEnum(
  'PlatformControllerStatus',
  CONTROLLER_STATUSES,
  'The status of a controller on a cluster.',
);

@InputType('OperatorStatusInput', { description: 'The target of the operator of a cluster.' })
export class OperatorStatusInput {
  @Field(() => StatusEnum, {
    description: 'ENABLED deploys it with the broker and the resource sync; other values remove them.',
  })
  targetStatus!: ClusterStatus;

  @Field(() => String, { description: 'The id of the connection.' })
  contextID!: string;
}

@InputType('AdapterStatusInput', { description: 'The target of an adapter.' })
export class AdapterStatusInput {
  @Field(() => StatusEnum, { description: 'ENABLED deploys it; other values remove it.' })
  targetStatus!: ClusterStatus;

  @Field(() => String, { description: 'The port that it listens on; the default one when empty.' })
  targetPort!: string;

  @Field(() => String, { description: 'The name of the adapter, such as istio.' })
  adapter!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The id of the connection; the only connected cluster that the caller sees without one.',
  })
  contextID?: string | null;
}

@ObjectType('PlatformControllersStatusListItem', { description: 'The status of one controller on one cluster.' })
export class ControllerStatusView {
  @TextField({ description: 'The id of the connection.' })
  connectionID!: string;

  @EnumField(PlatformControllerEnum, { description: 'The controller.' })
  controller!: PlatformController;

  @EnumField(PlatformControllerStatusEnum)
  status!: PlatformControllerStatus;

  @TextField({ nullable: true, description: 'The version: the tag of the image.' })
  version!: string | null;

  static fromState(
    this: void,
    connectionID: string,
    { controller, status, version }: ControllerState,
  ): ControllerStatusView {
    return { connectionID, controller, status, version };
  }
}

@ObjectType('Error', { description: 'An error of something on a cluster.' })
export class ControllerErrorView {
  @TextField({ description: 'The code.' })
  code!: string;

  @TextField()
  description!: string;
}

@ObjectType('OperatorControllerStatus', { description: 'The status of a controller that belongs to the operator.' })
export class OperatorControllerStatusView {
  @TextField()
  name!: string;

  @TextField({ nullable: true, description: 'The version: the tag of the image.' })
  version!: string | null;

  @EnumField(StatusEnum)
  status!: ClusterStatus;

  @RecordField(() => ControllerErrorView, { nullable: true, description: 'The error, if there is one.' })
  error!: ControllerErrorView | null;

  @TextField({ nullable: true, description: 'The id of the connection.' })
  connectionID!: string | null;

  static fromState(
    this: void,
    connectionID: string,
    { controller, status, version, error }: ControllerState,
  ): OperatorControllerStatusView {
    return { name: `meshery-${controller.toLowerCase()}`, version, status: toStatus(status), error, connectionID };
  }
}
