import type { INestApplication, Type } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DECORATORS } from '@nestjs/swagger';
import { IS_PUBLIC } from '../../access/access.decorators.js';
import { IS_REGISTRY_READ } from '../../access/registry-read.decorator.js';
import { RecordView } from '../../schema/record.view.js';
import { getFileFields } from '../form-uploads.service.js';
import { REST_OPERATION, type RestOperationMetadata } from './rest-operation.metadata.js';

type Handler = (...args: never[]) => unknown;
type Answers = Record<string, { type?: unknown }>;

/** The metadata of a route's handler that affects callers. */
export class DocumentedRoute {
  constructor(
    private readonly controller: Type<object>,
    private readonly handler: Handler,
  ) {}

  get operation(): RestOperationMetadata | undefined {
    return Reflect.getMetadata(REST_OPERATION, this.handler) as RestOperationMetadata | undefined;
  }

  get isPublic(): boolean {
    return this.isMarked(IS_PUBLIC);
  }

  get isRegistryRead(): boolean {
    return this.isMarked(IS_REGISTRY_READ);
  }

  /** The form fields in which it accepts files. */
  get fileFields(): readonly string[] {
    return getFileFields(this.handler);
  }

  /** Reports whether the response of this status is a record with a revision: a view with `fromEntity`. */
  answersRecord(status: string): boolean {
    const answers = (Reflect.getMetadata(DECORATORS.API_RESPONSE, this.handler) ?? {}) as Answers;
    const type = answers[status]?.type;
    return typeof type === 'function' && type.prototype instanceof RecordView && Object.hasOwn(type, 'fromEntity');
  }

  /** The classes whose schemas the operation names: of its parameters, its body and its responses. */
  get schemaClasses(): Type<object>[] {
    const { prototype } = this.controller as { prototype: object };
    const parameters = (Reflect.getMetadata('design:paramtypes', prototype, this.handler.name) ?? []) as unknown[];
    const responses = (Reflect.getMetadata(DECORATORS.API_RESPONSE, this.handler) ?? {}) as Answers;
    const named = (Reflect.getMetadata(DECORATORS.API_EXTRA_MODELS, this.handler) ?? []) as unknown[];
    const all = [...parameters, ...Object.values(responses).map(({ type }) => type), ...named];
    return all.filter(hasSchema);
  }

  private isMarked(mark: string): boolean {
    return [this.handler, this.controller].some((target) => Reflect.getMetadata(mark, target) === true);
  }
}

const fieldsOf = (type: Type<object>): string[] =>
  ((Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, type.prototype as object) ?? []) as string[]).map(
    (key) => key.slice(1),
  );

const hasSchema = (type: unknown): type is Type<object> =>
  typeof type === 'function' && fieldsOf(type as Type<object>).length > 0;

/** The classes of the fields of a class; those that are given by a function, too, since they refer to each other. */
function fieldClasses(type: Type<object>): Type<object>[] {
  return fieldsOf(type).flatMap((name) => {
    const field = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, type.prototype as object, name) as {
      type?: unknown;
    };
    const given =
      typeof field.type === 'function' && field.type.name === 'type' ? (field.type as () => unknown)() : field.type;
    return [given].flat().filter(hasSchema);
  });
}

/** @throws Error when two classes with fields have one name, since one of their schemas would replace the other */
export function assertUniqueSchemas(routes: Iterable<DocumentedRoute>): void {
  const known = new Map<string, Type<object>>();
  const rest = [...routes].flatMap(({ schemaClasses }) => schemaClasses);
  for (let type = rest.pop(); type; type = rest.pop()) {
    const other = known.get(type.name);
    if (other && other !== type) throw new Error(`two classes of the API are named ${type.name}; rename one of them`);
    if (!other) rest.push(...fieldClasses(type));
    known.set(type.name, type);
  }
}

/** Maps the handlers of all controllers by `Controller.method`. */
export function findDocumentedRoutes(app: INestApplication): Map<string, DocumentedRoute> {
  const routes = new Map<string, DocumentedRoute>();
  const controllers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  for (const { metatype } of controllers) {
    const controller = metatype as Type<object>;
    for (let at = controller.prototype as object; at !== Object.prototype; at = Object.getPrototypeOf(at) as object)
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at)))
        if (typeof value === 'function' && !routes.has(`${controller.name}.${name}`))
          routes.set(`${controller.name}.${name}`, new DocumentedRoute(controller, value as Handler));
  }
  return routes;
}
