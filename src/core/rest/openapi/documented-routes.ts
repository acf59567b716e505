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

  private isMarked(mark: string): boolean {
    return [this.handler, this.controller].some((target) => Reflect.getMetadata(mark, target) === true);
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
