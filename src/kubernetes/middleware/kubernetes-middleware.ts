import {
  applyDecorators,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Directive } from '@nestjs/graphql';
import type { AuthenticatedCaller } from '../../core/access/access.decorators.js';
import type { Operation } from '../../core/access/policy.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { KUBERNETES_MIDDLEWARE } from '../../core/graphql/directives.js';
import { type OpenCluster, OpenClustersService } from './open-clusters.service.js';

const OPERATION = 'armature:cluster-operation';
/** Arguments and input fields that contain connection ids. */
const ID_ARGUMENTS = new Set([
  'connectionID',
  'connectionIDs',
  'contextID',
  'contexts',
  'k8sClusterIDs',
  'k8scontextID',
  'k8scontextIDs',
]);

/** The clusters that the guard opened, keyed by the GraphQL resolve info of the field. */
const opened = new WeakMap<object, OpenCluster[]>();

/**
 * Marks a query, mutation or subscription that works with clusters. Before it runs, the connections in its arguments
 * (without any, all connected clusters that the caller may see) are loaded, authorized and checked to be reachable.
 * `@Clusters()` injects the result.
 * @param operation the required permission; default: read the connection
 */
export const KubernetesMiddleware = (operation: Operation = connectionPolicy.read): MethodDecorator =>
  applyDecorators(
    Directive(`@${KUBERNETES_MIDDLEWARE.name}`),
    SetMetadata(OPERATION, operation),
    UseGuards(KubernetesMiddlewareGuard),
  );

/** Injects the clusters of the field, at least one. */
export const Clusters = createParamDecorator(
  (_: unknown, context: ExecutionContext): OpenCluster[] => opened.get(context.getArgByIndex<object>(3)) ?? [],
);

@Injectable()
export class KubernetesMiddlewareGuard implements CanActivate {
  constructor(
    private readonly clusters: OpenClustersService,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const operation = this.reflector.get<Operation>(OPERATION, context.getHandler());
    const { actor } = context.getArgByIndex<AuthenticatedCaller>(2);
    if (!actor) throw new Unauthenticated('a bearer token is required');
    const ids = findConnectionIds(context.getArgByIndex<Record<string, unknown>>(1));
    opened.set(context.getArgByIndex<object>(3), await this.clusters.open(actor, ids, operation));
    return true;
  }
}

/** Collects connection ids from arguments, including input objects. */
function findConnectionIds(args: Record<string, unknown>): string[] {
  return Object.entries(args).flatMap(([name, value]) => {
    if (ID_ARGUMENTS.has(name)) return [value ?? []].flat().map(String);
    const isInput = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isInput ? findConnectionIds(value as Record<string, unknown>) : [];
  });
}
