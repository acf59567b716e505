import type { Type } from '@nestjs/common';
import type { Actor } from '../../access/actor.js';
import type { Operation } from '../../access/policy.js';
import type { RequestFields } from './request-fields.js';

/** A provider that judges calls by the record which parameters of the path name. */
export interface RecordAuthorizer {
  /** @throws NotFound when the actor does not see the record, Forbidden when their role does not reach */
  authorize(actor: Actor, operation: Operation, ...ids: string[]): Promise<void>;
}

/** A provider that judges calls by the record, or the place of a new one, which the body or the query names. */
export interface PlacementAuthorizer {
  /**
   * The fields are not validated yet: what is missing or malformed is left to the validation that follows.
   * @throws NotFound when the actor does not see what is named, Forbidden when their role does not reach
   */
  authorizeIn(actor: Actor, operation: Operation, fields: RequestFields): Promise<void>;
}

/** A right that is known by the path, before the body is read. */
export interface PathRight {
  operation: Operation;
  authorizer?: Type<RecordAuthorizer>;
  parameters: string[];
  /** The parameters may be something else than ids, and then name no record. */
  isOptional?: true;
}

/** A right that is known once the body is parsed, before anything else is done with it. */
export interface BodyRight {
  operation: Operation;
  authorizer: Type<PlacementAuthorizer>;
}

/** What a route declares, in the order in which its decorators are written. */
export interface DeclaredRights {
  path: PathRight[];
  body: BodyRight[];
}

const declaredRights = new WeakMap<object, DeclaredRights>();
const NO_RIGHTS: DeclaredRights = { path: [], body: [] };

/**
 * Declares the right to a route: the scope of the token, then what the provider says of the record that the parameters of
 * the path name (`id` by default). Without a provider only the token and the caller are judged.
 */
export const RequiresRight = (
  operation: Operation,
  judge?: Type<RecordAuthorizer>,
  ...parameters: string[]
): MethodDecorator =>
  addRights(({ path }) =>
    path.unshift({ operation, authorizer: judge, parameters: parameters.length > 0 ? parameters : ['id'] }),
  );

/** The same for a route whose parameter is the id of a record or something else, for which its body right stands in. */
export const RequiresRightOfId = (
  operation: Operation,
  judge: Type<RecordAuthorizer>,
  parameter: string,
): MethodDecorator =>
  addRights(({ path }) => path.unshift({ operation, authorizer: judge, parameters: [parameter], isOptional: true }));

/** The same for a route whose body or query names the record, or the place of a new one. */
export const RequiresBodyRight = (operation: Operation, judge: Type<PlacementAuthorizer>): MethodDecorator =>
  addRights(({ body }) => body.unshift({ operation, authorizer: judge }));

/** The rights that a handler of a route declares. */
export const getDeclaredRights = (handler: object): DeclaredRights => declaredRights.get(handler) ?? NO_RIGHTS;

/** Decorators are applied from the last to the first. */
function addRights(add: (rights: DeclaredRights) => void): MethodDecorator {
  return (_target, _key, descriptor) => {
    const handler = descriptor.value as object;
    const rights = declaredRights.get(handler) ?? { path: [], body: [] };
    add(rights);
    declaredRights.set(handler, rights);
  };
}
