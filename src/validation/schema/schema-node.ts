import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { compilePattern, type Pattern } from '../values/pattern.js';

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** Go types with their own JSON decoding; schemas of built-in types show them only by name or shape. */
export type GoType = 'quantity' | 'int-or-string' | 'time' | 'object-meta' | 'any';

const GO_TYPES: Record<string, GoType> = {
  'api.resource.Quantity': 'quantity',
  'util.intstr.IntOrString': 'int-or-string',
  'apis.meta.v1.Time': 'time',
  'apis.meta.v1.MicroTime': 'time',
  'apis.meta.v1.ObjectMeta': 'object-meta',
  'apis.meta.v1.FieldsV1': 'any',
  'pkg.runtime.RawExtension': 'any',
  'apiextensions.v1.JSON': 'any',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'any',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'any',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'any',
};
const MAX_REFERENCES = 20;

/** A subschema, read on demand: schemas of built-in types are large and recursive. */
export class SchemaNode {
  readonly types: readonly string[];
  readonly isIntOrString: boolean;
  readonly nullable: boolean;
  readonly preserves: boolean;
  readonly embeds: boolean;
  readonly required: readonly string[];
  readonly goType: GoType | undefined;
  readonly rules: readonly JsonObject[];

  private readonly children = new Map<string, SchemaNode>();
  private compiled: Pattern | string | undefined;

  /** @param raw the subschema with its references resolved */
  constructor(
    readonly raw: JsonObject,
    private readonly source: SchemaSource,
    private readonly reference: string,
  ) {
    this.isIntOrString = raw['x-kubernetes-int-or-string'] === true || raw['format'] === 'int-or-string';
    this.types = this.isIntOrString ? ['integer', 'string'] : textsOf(raw['type']);
    this.nullable = raw['nullable'] === true;
    this.preserves = raw['x-kubernetes-preserve-unknown-fields'] === true;
    this.embeds = raw['x-kubernetes-embedded-resource'] === true;
    this.required = textsOf(raw['required']);
    this.goType = goTypeOf(raw, reference);
    this.rules = objectsOf(raw['x-kubernetes-validations']);
  }

  /** The name of the type in the reference to it, such as `LimitRangeSpec`. */
  get typeName(): string {
    return this.reference.slice(this.reference.lastIndexOf('.') + 1);
  }

  /** The value of a numeric keyword such as `maxItems`. */
  number(keyword: string): number | undefined {
    const value = this.raw[keyword];
    return typeof value === 'number' ? value : undefined;
  }

  get format(): string | undefined {
    const { format } = this.raw;
    return typeof format === 'string' ? format : undefined;
  }

  get enumeration(): Json[] | undefined {
    const values = this.raw['enum'];
    return Array.isArray(values) ? values : undefined;
  }

  get hasDefault(): boolean {
    return this.raw['default'] !== undefined && this.raw['default'] !== null;
  }

  get hasProperties(): boolean {
    return isObject(this.raw['properties']);
  }

  /** The compiled pattern, or the error text when it is invalid. */
  get pattern(): Pattern | string | undefined {
    const { pattern } = this.raw;
    if (typeof pattern !== 'string' || pattern === '') return undefined;
    return (this.compiled ??= compilePattern(pattern));
  }

  get propertyNames(): string[] {
    const { properties } = this.raw;
    return isObject(properties) ? Object.keys(properties) : [];
  }

  property(name: string): SchemaNode | undefined {
    const { properties } = this.raw;
    if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
    return this.child(`properties/${name}`, properties[name]);
  }

  /** `additionalProperties`: its schema, `true` or `false`; undefined when absent. */
  get additional(): SchemaNode | boolean | undefined {
    const additional = this.raw['additionalProperties'];
    return typeof additional === 'boolean' ? additional : this.child('additionalProperties', additional);
  }

  get items(): SchemaNode | undefined {
    return this.child('items', this.raw['items']);
  }

  get not(): SchemaNode | undefined {
    return this.child('not', this.raw['not']);
  }

  branches(keyword: 'allOf' | 'anyOf' | 'oneOf'): SchemaNode[] {
    const branches = objectsOf(this.raw[keyword]);
    return branches.flatMap((branch, index) => this.child(`${keyword}/${index}`, branch) ?? []);
  }

  private child(key: string, raw: Json | undefined): SchemaNode | undefined {
    if (!isObject(raw)) return undefined;
    let node = this.children.get(key);
    if (!node) this.children.set(key, (node = this.source.node(raw)));
    return node;
  }
}

/** A whole schema, in which references of its subschemas are resolved. */
export class SchemaSource {
  /** Nodes by their JSON, so that recursive references share a node. */
  private readonly nodes = new Map<JsonObject, SchemaNode>();

  constructor(readonly schema: JsonObject) {}

  node(raw: JsonObject): SchemaNode {
    let node = this.nodes.get(raw);
    if (!node) {
      const [resolved, reference] = this.resolve(raw);
      this.nodes.set(raw, (node = new SchemaNode(resolved, this, reference)));
    }
    return node;
  }

  /** Resolves `$ref`, also within an `allOf` of one item as in Kubernetes' OpenAPI v3; sibling keywords take precedence. */
  private resolve(raw: JsonObject): [JsonObject, reference: string] {
    let current = raw;
    let reference = '';
    for (let hops = 0; hops < MAX_REFERENCES; hops++) {
      const [only, ...others] = objectsOf(current['allOf']);
      const wraps = only && typeof only['$ref'] === 'string' && others.length === 0 && !isObject(current['properties']);
      const target = wraps ? only['$ref'] : current['$ref'];
      if (typeof target !== 'string') return [current, reference];
      const found = this.at(target);
      const { $ref: _ref, allOf, ...beside } = current;
      current = { ...found, ...(wraps || allOf === undefined ? beside : { ...beside, allOf }) };
      reference = target;
    }
    return [{ 'x-kubernetes-preserve-unknown-fields': true }, reference];
  }

  private at(reference: string): JsonObject {
    let place: Json | undefined = reference.startsWith('#') ? this.schema : undefined;
    for (const segment of decode(reference).split('/').slice(1)) {
      const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    }
    return isObject(place) ? place : { 'x-kubernetes-preserve-unknown-fields': true };
  }
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference; // an invalid escape is kept as written
  }
}

function goTypeOf(raw: JsonObject, reference: string): GoType | undefined {
  const name = Object.keys(GO_TYPES).find((known) => reference.endsWith(known));
  if (name) return GO_TYPES[name];
  if (raw['format'] === 'int-or-string') return 'int-or-string';
  const [first, second, ...others] = objectsOf(raw['oneOf']);
  const isQuantity = first?.['type'] === 'string' && second?.['type'] === 'number' && others.length === 0;
  return isQuantity ? 'quantity' : undefined;
}

function textsOf(value: Json | undefined): string[] {
  const values = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string');
}

function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
