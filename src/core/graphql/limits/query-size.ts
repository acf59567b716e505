import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  valueFromASTUntyped,
} from 'graphql';

/** The size of an operation. */
export interface QuerySize {
  /** Levels of nested fields; a root field has depth 1. */
  depth: number;
  /** The number of fields in the response, each with its weight, multiplied by the page sizes of the lists around it. */
  cost: number;
  /** Aliases in the operation and the fragments that it uses. */
  aliases: number;
}

/** The page size when none is given. */
const DEFAULT_PAGE_SIZE = 20;
/** The assumed length of lists without a page size, which are mostly short; `countAnsweredLists` counts the actual items. */
const UNPAGED_LIST_SIZE = 5;
/** The page size of `pagesize: "all"`: the largest page. */
const ALL_PAGE_SIZE = 500;

/** The weight of a field with the contents of a record, such as a design file; NestJS stores it in `extensions.complexity`. */
export const CONTENTS_WEIGHT = 40;
/** The assumed length of lists in introspection, such as fields of a type or arguments of a field. */
const INTROSPECTION_LIST_SIZE = 10;

const PAGE_SIZE = /^(page_?size|first|limit)$/i;
const META_FIELDS: Record<string, GraphQLField<unknown, unknown>> = {
  __schema: SchemaMetaFieldDef,
  __type: TypeMetaFieldDef,
  __typename: TypeNameMetaFieldDef,
};

/** The cost of a selection. `perItem` is the part inside lists whose length the parent field determines. */
interface Weight {
  depth: number;
  fixed: number;
  perItem: number;
}

const ZERO_WEIGHT: Weight = { depth: 0, fixed: 0, perItem: 0 };

/** Measures an operation; each fragment is measured once, however often it is spread. */
export function measureQuery(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): QuerySize {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const values = { ...getVariableDefaults(operation), ...variables };
  const weights = new Map<string, Weight>();
  let aliases = 0;

  const ofSelections = (set: SelectionSetNode, parent: GraphQLNamedType | undefined): Weight => {
    const total = { ...ZERO_WEIGHT };
    for (const node of set.selections) {
      const { depth, fixed, perItem } = ofSelection(node, parent);
      total.depth = Math.max(total.depth, depth);
      total.fixed += fixed;
      total.perItem += perItem;
    }
    return total;
  };

  const ofSelection = (node: SelectionNode, parent: GraphQLNamedType | undefined): Weight => {
    if (node.kind === Kind.FIELD) return ofField(node, parent);
    if (node.kind === Kind.FRAGMENT_SPREAD) return ofFragment(node.name.value);
    return ofSelections(node.selectionSet, node.typeCondition ? schema.getType(node.typeCondition.name.value) : parent);
  };

  const ofFragment = (name: string): Weight => {
    const known = weights.get(name);
    const fragment = fragments.get(name);
    if (known || !fragment) return known ?? ZERO_WEIGHT;
    weights.set(name, ZERO_WEIGHT); // Ends the recursion of a fragment that spreads itself, which validation rejects.
    const weight = ofSelections(fragment.selectionSet, schema.getType(fragment.typeCondition.name.value));
    weights.set(name, weight);
    return weight;
  };

  const ofField = (node: FieldNode, parent: GraphQLNamedType | undefined): Weight => {
    if (node.alias) aliases++;
    const field = findField(parent, node.name.value);
    const inner = node.selectionSet ? ofSelections(node.selectionSet, field && getNamedType(field.type)) : ZERO_WEIGHT;
    const depth = inner.depth + 1;
    const own = field ? getFieldWeight(field) : 1;
    const size =
      field && (getIntrospectionListSize(schema, parent, field) ?? getPageSize(field, node.arguments ?? [], values));
    if (!field || !isList(field.type))
      return { depth, fixed: own + inner.fixed + inner.perItem * (size ?? UNPAGED_LIST_SIZE), perItem: 0 };
    const item = inner.fixed + inner.perItem * UNPAGED_LIST_SIZE;
    return size === undefined ? { depth, fixed: own, perItem: item } : { depth, fixed: own + size * item, perItem: 0 };
  };

  const root = ofSelections(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
  const cost = Math.min(root.fixed + root.perItem * UNPAGED_LIST_SIZE, Number.MAX_SAFE_INTEGER);
  return { depth: root.depth, cost, aliases };
}

function findField(parent: GraphQLNamedType | undefined, name: string): GraphQLField<unknown, unknown> | undefined {
  return META_FIELDS[name] ?? (isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined);
}

function getFieldWeight({ extensions }: GraphQLField<unknown, unknown>): number {
  return typeof extensions['complexity'] === 'number' ? extensions['complexity'] : 1;
}

/** Returns the assumed length of a list in introspection; undefined for other fields. */
function getIntrospectionListSize(
  schema: GraphQLSchema,
  parent: GraphQLNamedType | undefined,
  { name, type }: GraphQLField<unknown, unknown>,
): number | undefined {
  if (!parent || !isIntrospectionType(parent) || !isList(type)) return undefined;
  return name === 'types' ? Object.keys(schema.getTypeMap()).length : INTROSPECTION_LIST_SIZE;
}

function isList(type: GraphQLType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}

function getVariableDefaults(operation: OperationDefinitionNode): Record<string, unknown> {
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? [])
    if (defaultValue) defaults[variable.name.value] = valueFromASTUntyped(defaultValue);
  return defaults;
}

/**
 * Returns the page size that a field requests, in an argument or in a field of an input object; undefined for fields
 * without pages.
 */
function getPageSize(
  field: GraphQLField<unknown, unknown>,
  given: readonly ArgumentNode[],
  variables: Record<string, unknown>,
): number | undefined {
  const sizes = field.args.filter(hasPageSize).map((argument) => {
    const node = given.find(({ name }) => name.value === argument.name);
    const value = node ? valueFromASTUntyped(node.value, variables) : argument.defaultValue;
    return parsePageSize(PAGE_SIZE.test(argument.name) ? value : findPageSizeMember(value));
  });
  return sizes.length ? Math.max(...sizes) : undefined;
}

function hasPageSize({ name, type }: GraphQLArgument): boolean {
  if (PAGE_SIZE.test(name)) return true;
  const input: GraphQLInputType = isNonNullType(type) ? type.ofType : type;
  return isInputObjectType(input) && Object.keys(input.getFields()).some((key) => PAGE_SIZE.test(key));
}

function findPageSizeMember(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => PAGE_SIZE.test(key))?.[1];
}

/** Page sizes are strings in PageFilter and numbers elsewhere; the field itself rejects malformed ones. */
function parsePageSize(size: unknown): number {
  if (size === 'all') return ALL_PAGE_SIZE;
  const number = typeof size === 'string' && size.trim() === '' ? NaN : Number(size ?? NaN);
  return number >= 1 ? number : DEFAULT_PAGE_SIZE;
}
