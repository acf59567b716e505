import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { getMembers } from '../../schema/members.js';
import { UpdateInput } from '../input.pipe.js';
import { getUpdatedView } from '../read-only-fields.js';
import { type OperationObject } from './complete-operation.js';
import type { DocumentedRoute } from './documented-routes.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type SchemaObject = Exclude<Schemas[string], { $ref: string }>;

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;

/**
 * Says of each schema that only requests have that unknown members are refused, and which fields of the record are taken besides,
 * with their stored values.
 */
export function closeInputSchemas(
  operations: readonly OperationObject[],
  routes: Iterable<DocumentedRoute>,
  schemas: Schemas,
): void {
  const shown = findReferenced(
    operations.map(({ responses }) => responses),
    schemas,
  );
  const sent = findReferenced(
    operations.map(({ requestBody }) => requestBody),
    schemas,
  );
  for (const name of sent) {
    const schema = schemas[name] as SchemaObject;
    if (schema.properties && !shown.has(name)) schema.additionalProperties ??= false;
  }
  for (const type of [...routes].flatMap(({ schemaClasses }) => schemaClasses)) {
    nameMembers(type, schemas);
    const view = type.prototype instanceof UpdateInput ? getUpdatedView(type) : undefined;
    const record = view && (schemas[view.name] as SchemaObject | undefined)?.properties;
    for (const name of record ? [type.name, `${type.name}Form`] : []) {
      const input = schemas[name] as SchemaObject | undefined;
      if (input) input.properties = { ...toReadOnly(record ?? {}), ...input.properties };
    }
  }
}

/** Says of each object in a body which members it has, where others are refused. */
function nameMembers(type: Type<object>, schemas: Schemas): void {
  for (const name of [type.name, `${type.name}Form`])
    for (const [field, schema] of Object.entries((schemas[name] as SchemaObject | undefined)?.properties ?? {})) {
      const members = getMembers(type.prototype as object, field);
      const object = 'items' in schema ? schema.items : schema;
      if (members && object && 'additionalProperties' in object && object.additionalProperties === true)
        Object.assign(object, {
          properties: Object.fromEntries(members.map((member) => [member, {}])),
          additionalProperties: false,
        });
    }
}

const toReadOnly = (properties: NonNullable<SchemaObject['properties']>): NonNullable<SchemaObject['properties']> =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, { ...schema, readOnly: true }]));

/** The names of the schemas that these refer to, themselves or by others. */
function findReferenced(from: unknown, schemas: Schemas): Set<string> {
  const found = new Set<string>();
  const rest: unknown[] = [from];
  for (let next = rest.pop(); next !== undefined; next = rest.pop())
    for (const [, name = ''] of (JSON.stringify(next) ?? '').matchAll(REFERENCE))
      if (!found.has(name)) {
        found.add(name);
        rest.push(schemas[name]);
      }
  return found;
}
