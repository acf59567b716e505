import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean> };
  match(path: string): boolean;
}

export interface Route {
  method: string;
  path: string;
}

/** The REST routes that this server really has, as its router knows them. */
@Injectable()
export class RouteTable {
  constructor(private readonly host: HttpAdapterHost) {}

  /** Every route, in the form `/api/environments/:id`. */
  listRoutes(): Route[] {
    return this.routeLayers().flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map((method) => ({ method: method.toUpperCase(), path: route?.path ?? '' })),
    );
  }

  /** The methods that this path answers to; empty when there is no such path. */
  findMethods(path: string): string[] {
    const methods = this.routeLayers()
      .filter((layer) => layer.match(path))
      .flatMap((layer) => Object.keys(layer.route?.methods ?? {}))
      .filter((method) => method !== '_all')
      .map((method) => method.toUpperCase());
    return [...new Set(methods)].sort();
  }

  private routeLayers(): RouterLayer[] {
    const express = this.host.httpAdapter.getInstance<{ router: { stack: RouterLayer[] } }>();
    return express.router.stack.filter((layer) => layer.route !== undefined);
  }
}
