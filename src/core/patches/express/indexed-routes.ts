import type { IRoute, NextFunction, Request, RequestHandler, Response } from 'express';
import { speedPatches } from '../speed.js';
import { RouteIndex } from '../../route-index.js';

/** A layer of the router of Express 5 (router 2), of which its types tell nothing. */
export interface RouterLayer {
  route?: {
    path: string;
    methods: Record<string, boolean>;
    stack: HandlerLayer[];
    _handlesMethod(method: string): boolean;
  };
  match(path: string): { params: Record<string, string> } | false;
  handleRequest(request: Request, response: Response, next: NextFunction): void;
}

/** A handler of a route in Express's router. */
interface HandlerLayer {
  /** In lower case; undefined for all methods. */
  method?: string;
  handleRequest(request: Request, response: Response, next: NextFunction): void;
}

export interface RoutedApp {
  router: { stack: RouterLayer[] };
  route(path: string): Pick<IRoute, 'all'>;
  use(handler: RequestHandler): void;
}

/** The method names in Express's routes. */
const METHOD_NAMES: Record<string, string> = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' };

/**
 * Sorts each run of consecutive routes of the router, whose stack it replaces, because Express has no precedence but
 * the order of registration; other layers, such as the files of the API reference, stay in place. For speed, an index
 * of one layer takes the place of the linear search through some 400 routes, each a regular expression; not measured
 * on its own.
 */
export function arrangeRoutes(app: RoutedApp, compare: (a: RouterLayer, b: RouterLayer) => number): void {
  const { stack } = app.router;
  for (let begin = 0; begin < stack.length; begin++) {
    let end = begin;
    while (stack[end]?.route) end++;
    if (end === begin) continue;
    const routes = stack.slice(begin, end).sort(compare);
    if (speedPatches.areApplied) {
      app.use(serveRoutes(routes));
      stack.splice(begin, routes.length, stack.pop() as RouterLayer);
    } else {
      stack.splice(begin, routes.length, ...routes);
      begin = end;
    }
  }
}

/** Handles a request like the router: calls the first matching route with the method, and the next one when it calls `next`. */
function serveRoutes(layers: readonly RouterLayer[]): RequestHandler {
  const index = new RouteIndex<RouterLayer>();
  for (const layer of layers) index.add(layer.route?.path ?? '', layer);
  return (request, response, next) => {
    const { method, path } = request;
    const candidates = index.find(path).values();
    const pass = (error?: unknown): void => {
      if (error && error !== 'route') return next(error);
      try {
        for (const layer of candidates) {
          if (method !== 'HEAD' && !layer.route?._handlesMethod(method)) continue;
          const match = layer.match(path);
          if (!match) continue;
          Object.assign(request, { route: layer.route, params: match.params });
          return (findOnlyHandler(layer, method) ?? layer).handleRequest(request, response, pass);
        }
      } catch (thrown) {
        // The path cannot be decoded.
        return next(thrown);
      }
      next();
    };
    pass();
  };
}

/** Returns the handler of a route with a single one, which saves the route's own search. */
function findOnlyHandler({ route }: RouterLayer, method: string): HandlerLayer | undefined {
  const only = route?.stack.length === 1 ? route.stack[0] : undefined;
  return only?.method === METHOD_NAMES[method] ? only : undefined;
}
