import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { NIL as NIL_UUID } from 'uuid';
import { AppError } from '../errors/app-error.js';
import { arrangeRoutes, type RoutedApp, type RouterLayer } from '../patches/express/indexed-routes.js';
import { getRequestPath } from '../telemetry/request-context.js';
import { compareRoutes, isNarrower, isSameRoute } from './route-precedence.js';

export interface Route {
  method: string;
  path: string;
}

/**
 * The REST routes of this server, from its router. It sorts them by specificity after registration, so that
 * `/api/pattern/types` precedes `/api/pattern/:id` whichever module declares it.
 */
@Injectable()
export class RouteTable implements OnModuleInit {
  private layers: RouterLayer[] = [];

  constructor(private readonly host: HttpAdapterHost) {}

  /** All controllers are registered at this time, and the handler of unknown paths is not. */
  onModuleInit(): void {
    this.layers = this.findLayers();
    this.refuseOtherMethods();
    this.layers = this.findLayers().sort(compareLayers);
    arrangeRoutes(this.express, compareLayers);
  }

  /** Lists all routes in the form `/api/environments/:id`. */
  listRoutes(): Route[] {
    return this.layers.flatMap(({ route }) =>
      listMethods(route?.methods).map((method) => ({ method, path: route?.path ?? '' })),
    );
  }

  /** Finds the route of a request. */
  find(method: string, path: string): Route | undefined {
    const found = this.layers.find((layer) => layer.match(path) && listMethods(layer.route?.methods).includes(method));
    return found && { method, path: found.route?.path ?? '' };
  }

  /** The methods of a path; empty for an unknown path. PATCH is served as PUT. */
  findMethods(path: string): string[] {
    const [first, ...others] = this.layers.filter((layer) => layer.match(path));
    const nearest = first?.route?.path ?? '';
    const same = others.filter(({ route }) => isSameRoute(route?.path ?? '', nearest));
    const methods = new Set([first, ...same].flatMap((layer) => listMethods(layer?.route?.methods)));
    if (methods.has('PUT')) methods.add('PATCH');
    return [...methods].sort();
  }

  /** The first parameter of a route that is empty in the path: `id` of `/api/environments//connections`. */
  findEmptyParameter(method: string, path: string): string | undefined {
    const segments = path.split('/');
    const empty = segments.findIndex((segment, index) => index > 0 && segment === '');
    if (empty < 0) return undefined;
    const filled = segments.map((segment, index) => (index > 0 && segment === '' ? NIL_UUID : segment)).join('/');
    const [, name] =
      /^:(\w+)/.exec(this.find(method === 'PATCH' ? 'PUT' : method, filled)?.path.split('/')[empty] ?? '') ?? [];
    return name;
  }

  /** Serves PATCH of a record as its PUT, which leaves what is not sent as it is. */
  readonly servePatchAsPut: RequestHandler = (request, _response, next) => {
    if (request.method === 'PATCH' && this.findMethods(getRequestPath(request)).includes('PATCH'))
      request.method = 'PUT';
    next();
  };

  /**
   * Rejects other methods on a path that is more specific than another route, such as `/api/pattern/import`
   * compared with `/api/pattern/:id`: its text is never used as the parameter.
   */
  private refuseOtherMethods(): void {
    const paths = new Set(this.listRoutes().map(({ path }) => path));
    for (const path of paths)
      if ([...paths].some((other) => isNarrower(path, other)))
        this.express.route(path).all((request: Request, _response: Response, next: NextFunction) => {
          if (request.method === 'OPTIONS') return next();
          next(methodNotAllowed(request.method, this.findMethods(getRequestPath(request))));
        });
  }

  private findLayers(): RouterLayer[] {
    return this.express.router.stack.filter((layer) => layer.route !== undefined);
  }

  private get express(): RoutedApp {
    return this.host.httpAdapter.getInstance<RoutedApp>();
  }
}

export function methodNotAllowed(method: string, allowed: readonly string[]): AppError {
  const allow = allowed.join(', ');
  return new AppError(405, 'METHOD_NOT_ALLOWED', 'Method not allowed', `${method} is not allowed here`, {
    headers: { Allow: allow },
    remedy: `Use ${allow}.`,
  });
}

const compareLayers = ({ route: a }: RouterLayer, { route: b }: RouterLayer): number =>
  compareRoutes(a?.path ?? '', b?.path ?? '') ||
  Number(a?.methods['_all'] ?? false) - Number(b?.methods['_all'] ?? false);

const listMethods = (methods: Record<string, boolean> = {}): string[] =>
  Object.keys(methods)
    .filter((method) => method !== '_all')
    .map((method) => method.toUpperCase());
