import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Reflector } from '@nestjs/core';
import type { Actor } from './actor.js';

export const IS_PUBLIC = 'armature:public';

/** Allows one route without a token; the global guard requires a token on every other route. */
export const Public = (): MethodDecorator & ClassDecorator =>
  // Every other operation is documented with the bearer security scheme; see `openapi.ts`.
  applyDecorators(SetMetadata(IS_PUBLIC, true), ApiSecurity({}));

/** Caches metadata of handlers by class and method name. */
const knownMarks = new WeakMap<object, WeakMap<object, Map<string, boolean>>>();

/** Reports whether a route or its controller has this metadata. */
export function hasMetadata(reflector: Reflector, mark: string, context: ExecutionContext): boolean {
  const [handler, controller] = [context.getHandler(), context.getClass()];
  const ofHandler = getOrSet(knownMarks, handler, () => new WeakMap<object, Map<string, boolean>>());
  const marks = getOrSet(ofHandler, controller, () => new Map<string, boolean>());
  let isMarked = marks.get(mark);
  if (isMarked === undefined)
    marks.set(mark, (isMarked = reflector.getAllAndOverride<boolean>(mark, [handler, controller]) ?? false));
  return isMarked;
}

function getOrSet<V>(map: WeakMap<object, V>, key: object, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The caller of a request, in both APIs. */
export interface AuthenticatedCaller {
  actor?: Actor;
  /** Why the token of the request is not valid. */
  authenticationError?: Error;
}

/** Injects the caller whom the guard authenticated. */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): Actor | undefined => {
  if (context.getType<string>() === 'graphql') return context.getArgByIndex<{ actor?: Actor }>(2).actor;
  return context.switchToHttp().getRequest<AuthenticatedCaller>().actor;
});
