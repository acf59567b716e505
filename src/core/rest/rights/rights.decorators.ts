import type { Type } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import type { Operation } from '../../access/policy.js';
import type { RequestFields } from './request-fields.js';

/** A provider that authorizes requests by the record in the path. */
export interface RecordAuthorizer {
  /** @throws NotFound when the actor may not see the record, Forbidden when the role does not suffice */
  authorize(actor: Actor, operation: Operation, ...ids: string[]): Promise<void>;
}

/** A provider that authorizes requests by a record in the body or query: the one to change, or the parent of a new one. */
export interface PlacementAuthorizer {
  /**
   * Checks permissions on unvalidated fields; ignores missing and malformed ones, which the validation reports.
   * @throws NotFound when the actor may not see a record, Forbidden when the role does not suffice
   */
  authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void>;
}

/** A permission that is checked by the path, before the body is parsed. */
export interface PathRight {
  operation: Operation;
  authorizer?: Type<RecordAuthorizer>;
  parameters: string[];
  /** The parameters may be something other than ids, and then identify no record. */
  isOptional?: true;
}

/** A permission that is checked after the body was parsed, before anything else. */
export interface BodyRight {
  operation: Operation;
  authorizer: Type<PlacementAuthorizer>;
  /** The route deletes the records, so that its repetition does not find them. */
  isDeletion: boolean;
}

/** The declared permissions of a route, in the order of its decorators. */
export interface DeclaredRights {
  path: PathRight[];
  body: BodyRight[];
}

const declaredRights = new WeakMap<object, DeclaredRights>();
const NO_RIGHTS: DeclaredRights = { path: [], body: [] };

/**
 * Declares the permission of a route: the scope of the token, and the provider's check of the record that path
 * parameters identify (`id` by default). Without a provider, only the token and the caller are checked.
 */
export const RequiresRight = (
  operation: Operation,
  authorizer?: Type<RecordAuthorizer>,
  ...parameters: string[]
): MethodDecorator =>
  addRights(({ path }) =>
    path.unshift({ operation, authorizer, parameters: parameters.length > 0 ? parameters : ['id'] }),
  );

/** Like `RequiresRight`, for a route whose parameter may be something other than an id; its body permission then applies. */
export const RequiresRightOfId = (
  operation: Operation,
  authorizer: Type<RecordAuthorizer>,
  parameter: string,
): MethodDecorator =>
  addRights(({ path }) => path.unshift({ operation, authorizer, parameters: [parameter], isOptional: true }));

/**
 * Like `RequiresRight`, for a route whose body or query identifies the record or the parent of a new one.
 * @param isDeletion the route deletes these records though its method is not DELETE
 */
export const RequiresBodyRight = (
  operation: Operation,
  authorizer: Type<PlacementAuthorizer>,
  { isDeletion = false } = {},
): MethodDecorator => addRights(({ body }) => body.unshift({ operation, authorizer, isDeletion }));

/** Returns the declared permissions of a handler. */
export const getDeclaredRights = (handler: object): DeclaredRights => declaredRights.get(handler) ?? NO_RIGHTS;

/** Decorators are applied from last to first. */
function addRights(add: (rights: DeclaredRights) => void): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const rights = declaredRights.get(handler) ?? { path: [], body: [] };
    add(rights);
    declaredRights.set(handler, rights);
  };
}
