import { Field, InputType, ObjectType } from '@nestjs/graphql';
import {
  AnyField,
  FlagField,
  graphqlEnum,
  IntField,
  RecordField,
  RecordsField,
  TextField,
} from '../../core/schema/view-fields.js';
import { MESH_TYPES, type MeshType } from './mesh-catalog.js';

const MeshTypeEnum = graphqlEnum('MeshType', MESH_TYPES, 'A type of service mesh.');

@InputType('ServiceMeshFilter', { description: 'Filters service meshes by type and cluster.' })
export class ServiceMeshFilter {
  @Field(() => MeshTypeEnum, { nullable: true, description: 'Only of this type; ALL_MESH, and none, is every type.' })
  type?: MeshType | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Ids of connections; all connected clusters that the caller sees without them.',
  })
  k8sClusterIDs?: string[] | null;
}

@ObjectType('ContainerStatus', { description: 'The status of a container.' })
export class ContainerStatusView {
  @TextField({ description: 'The name of the container.' })
  containerStatusName!: string;

  @TextField({ nullable: true, description: 'The image that runs.' })
  image!: string | null;

  @AnyField({ nullable: true, description: 'Its state: waiting, running or terminated.' })
  state!: Record<string, unknown> | null;

  @AnyField({ nullable: true, description: 'The last termination.' })
  lastState!: Record<string, unknown> | null;

  @FlagField({ nullable: true, description: 'Whether it passes its readiness probe.' })
  ready!: boolean | null;

  @IntField({ nullable: true, description: 'The number of restarts.' })
  restartCount!: number | null;

  @FlagField({ nullable: true, description: 'Whether it has started.' })
  started!: boolean | null;

  @TextField({ nullable: true, description: 'The digest of the image.' })
  imageID!: string | null;

  @TextField({ nullable: true, description: 'The id that the runtime gave it.' })
  containerID!: string | null;
}

@ObjectType('ContainerPort', { description: 'A port of a container.' })
export class ContainerPortView {
  @TextField({ nullable: true })
  name!: string | null;

  @IntField({ nullable: true, description: 'The number of the port.' })
  containerPort!: number | null;

  @TextField({ nullable: true, description: 'TCP, UDP or SCTP.' })
  protocol!: string | null;
}

@ObjectType('Container', { description: 'A proxy of a service mesh.' })
export class ContainerView {
  @TextField({ description: 'The component of the control plane that configures it.' })
  controlPlaneMemberName!: string;

  @TextField({ description: 'The name of the container.' })
  containerName!: string;

  @TextField({ nullable: true, description: 'The image of its specification.' })
  image!: string | null;

  @RecordField(() => ContainerStatusView, { nullable: true, description: 'The status; null before it was started.' })
  status!: ContainerStatusView | null;

  @RecordsField(() => ContainerPortView, { nullable: true, description: 'Its ports.' })
  ports!: ContainerPortView[] | null;

  @AnyField({ nullable: true, description: 'Its requests and limits.' })
  resources!: Record<string, unknown> | null;
}

@ObjectType('ControlPlaneMember', { description: 'A pod of a control plane.' })
export class ControlPlaneMemberView {
  @TextField({ description: 'The name of the pod.' })
  name!: string;

  @TextField({ nullable: true, description: 'The component that the pod belongs to.' })
  component!: string | null;

  @TextField({ nullable: true, description: 'The version: the tag of the image.' })
  version!: string | null;

  @TextField({ nullable: true })
  namespace!: string | null;

  @RecordsField(() => ContainerView, { nullable: true, description: 'The proxies that it configures.' })
  data_planes!: ContainerView[] | null;
}

@ObjectType('ControlPlane', { description: 'The control plane of a service mesh on a cluster.' })
export class ControlPlaneView {
  @TextField({ description: 'The name of the mesh.' })
  name!: string;

  @RecordsField(() => ControlPlaneMemberView, { nullable: true, description: 'Its pods.' })
  members!: ControlPlaneMemberView[] | null;
}

@ObjectType('DataPlane', { description: 'The proxies of a service mesh on a cluster.' })
export class DataPlaneView {
  @TextField({ description: 'The name of the mesh.' })
  name!: string;

  @RecordsField(() => ContainerView, { nullable: true, description: 'Its proxies.' })
  proxies!: ContainerView[] | null;
}

@ObjectType('AddonList', { description: 'An add-on of a service mesh.' })
export class AddOnView {
  @TextField()
  name!: string;

  @TextField({ nullable: true, description: 'The mesh that it serves, or its namespace when that has none.' })
  owner!: string | null;
}

@ObjectType('TelemetryComp', { description: 'A Service for metrics, traces or logs.' })
export class TelemetryComponentView {
  @TextField({ description: 'The name of the Service.' })
  name!: string;

  @TextField({ nullable: true, description: 'Its specification as JSON.' })
  spec!: string | null;

  @TextField({ nullable: true, description: 'Its status as JSON.' })
  status!: string | null;
}
