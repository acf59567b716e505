/** A structural schema (apiextensions/v1 JSONSchemaProps), as far as it is checked here. */
export interface StructuralSchema {
  type?: string;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema | boolean;
  items?: StructuralSchema;
  required?: string[];
  enum?: unknown[];
  nullable?: boolean;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

export interface StructuralFault {
  /** Such as `spec.replicas` or `spec.items[0].name`. */
  field: string;
  detail: string;
}

const MOST_FAULTS = 20;

/**
 * Checks an object against the schema of a definition that no cluster knows yet: types, required fields, enumerations and bounds.
 * Formats, patterns and rules are left to the cluster, which judges the object before it is applied.
 */
export function structuralFaults(schema: StructuralSchema, object: Record<string, unknown>): StructuralFault[] {
  const own = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !['apiVersion', 'kind', 'metadata'].includes(name),
  );
  const faults: StructuralFault[] = [];
  check({ ...schema, properties: Object.fromEntries(own) }, object, '', faults);
  return faults.slice(0, MOST_FAULTS);
}

function check(schema: StructuralSchema, value: unknown, field: string, faults: StructuralFault[]): void {
  const fault = (detail: string) => faults.push({ field: field || '(root)', detail });
  if (faults.length >= MOST_FAULTS) return;
  if (value === null) {
    if (!schema.nullable && schema.default === undefined && schema.type) fault('must not be null');
    return;
  }
  if (!hasType(schema, value)) {
    fault(`must be ${schema['x-kubernetes-int-or-string'] ? 'an integer or a string' : `of type ${schema.type}`}`);
    return;
  }
  if (schema.enum && !schema.enum.some((one) => one === value)) fault(`must be one of ${schema.enum.join(', ')}`);
  if (typeof value === 'number') checkBounds(value, schema.minimum, schema.maximum, 'be', fault);
  if (typeof value === 'string')
    checkBounds([...value].length, schema.minLength, schema.maxLength, 'have a length', fault);
  if (Array.isArray(value)) {
    checkBounds(value.length, schema.minItems, schema.maxItems, 'have a number of items', fault);
    const { items } = schema;
    if (items) value.forEach((item, index) => check(items, item, `${field}[${index}]`, faults));
  } else if (typeof value === 'object') checkFields(schema, value as Record<string, unknown>, field, faults);
}

function checkFields(
  schema: StructuralSchema,
  value: Record<string, unknown>,
  field: string,
  faults: StructuralFault[],
): void {
  const inner = (name: string) => (field ? `${field}.${name}` : name);
  for (const name of schema.required ?? []) {
    if (value[name] === undefined && schema.properties?.[name]?.default === undefined) {
      faults.push({ field: inner(name), detail: 'is required' });
    }
  }
  const others = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const [name, one] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : others;
    if (known) check(known, one, inner(name), faults);
  }
}

function checkBounds(
  amount: number,
  least: number | undefined,
  most: number | undefined,
  verb: string,
  fault: (detail: string) => void,
) {
  if (least !== undefined && amount < least) fault(`must ${verb} of at least ${least}`.replace('be of', 'be'));
  if (most !== undefined && amount > most) fault(`must ${verb} of at most ${most}`.replace('be of', 'be'));
}

function hasType(schema: StructuralSchema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string']) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    default:
      return true;
  }
}
