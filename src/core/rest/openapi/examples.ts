import type { OpenAPIObject } from '@nestjs/swagger';
import { EXAMPLE_ID, EXAMPLE_TIME, findExample, FORMS } from '../../schema/field-examples.js';

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;
type SchemaObject = Exclude<Schemas[string], { $ref: string }> & { const?: unknown };
type Schema = Schemas[string];

const EXAMPLES_BY_FORMAT: Record<string, string> = {
  uuid: EXAMPLE_ID,
  'date-time': EXAMPLE_TIME,
  uri: 'https://example.com/',
  email: 'ada@example.org',
  binary: '@file',
};

/** Composes examples of requests and responses from the examples of the fields of their schemas. */
export class ExampleComposer {
  private readonly responses = new Map<string, unknown>();

  constructor(private readonly schemas: Schemas) {}

  /** The example of each form of a request body, by the name of the form. */
  composeForms(schema: Schema): Record<string, { value: unknown }> {
    const object = this.resolve(schema);
    const properties = object.properties ?? {};
    const withExample = Object.keys(properties).filter((name) => 'example' in (properties[name] ?? {}));
    const fields = new Set([...(object.required ?? []), ...withExample]);
    const common = this.composeFields(object, (name) => fields.has(name));
    const forms = (Reflect.get(object, FORMS) as Record<string, object> | undefined) ?? { example: {} };
    return Object.fromEntries(
      Object.entries(forms).map(([form, values]) => [form, { value: { ...common, ...values } }]),
    );
  }

  /** The example of a response, with every field; what may be null is null unless its field has an example. */
  compose(schema: Schema, name = ''): unknown {
    if ('$ref' in schema) return this.composeReference(schema.$ref);
    const { anyOf, oneOf, allOf } = schema;
    const {
      example,
      enum: words,
      default: preset,
    } = schema as { example?: unknown; enum?: unknown[]; default?: unknown };
    if (example !== undefined) return example;
    const types: (string | undefined)[] = [schema.type].flat();
    const alternatives = anyOf ?? oneOf ?? allOf;
    if (types.includes('null') || alternatives?.some((each) => 'type' in each && (each.type as string) === 'null'))
      return null;
    if (alternatives?.[0]) return this.compose(alternatives[0], name);
    if (preset !== undefined) return preset;
    if (words?.[0] !== undefined) return words[0];
    return this.composeType(schema, types[0], name);
  }

  private composeType(schema: SchemaObject, type: string | undefined, name: string): unknown {
    switch (type) {
      case 'object':
        return schema.properties ? this.composeFields(schema, () => true) : (findExample(name) ?? {});
      case 'array':
        return schema.items ? [this.compose(schema.items, name)] : [];
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return EXAMPLES_BY_FORMAT[schema.format ?? ''] ?? findExample(name) ?? name;
      default:
        return findExample(name) ?? name;
    }
  }

  private composeFields({ properties = {} }: SchemaObject, isIncluded: (name: string) => boolean): object {
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, schema]) =>
        isIncluded(name) ? [[name, this.compose(schema, name)]] : [],
      ),
    );
  }

  /** A schema that contains itself has an example without its own further example. */
  private composeReference(ref: string): unknown {
    const name = ref.split('/').at(-1) ?? '';
    if (!this.responses.has(name)) {
      this.responses.set(name, {});
      const schema = this.schemas[name];
      if (schema) this.responses.set(name, this.compose(schema, name));
    }
    return this.responses.get(name);
  }

  private resolve(schema: Schema): SchemaObject {
    return '$ref' in schema ? this.resolve(this.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
  }
}
