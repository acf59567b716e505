import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  getIntrospectionQuery,
  parse,
  print,
} from 'graphql';

/** A field of the introspection query: its arguments as text, and its subfields by name. */
interface IntrospectionField {
  args: string;
  fields: Map<string, IntrospectionField>;
}

/** The introspection query of graphql-js with all options. */
const STANDARD_FIELDS = parseStandardFields();

/** Fields that every variant of the introspection query selects. */
const REQUIRED_FIELDS = [
  '__schema',
  'types',
  'directives',
  'fields',
  'inputFields',
  'interfaces',
  'enumValues',
  'possibleTypes',
];

/**
 * Reports whether a valid operation is the introspection query of graphql-js (used by GraphiQL, code generators and
 * IDEs) with any of its options. Such a query has no other fields, no duplicates and no aliases, so it costs no more
 * than the one with all options.
 */
export function isStandardIntrospection(document: DocumentNode, { selectionSet }: OperationDefinitionNode): boolean {
  const fragments = collectFragments(document);
  const isStandard = (set: SelectionSetNode, standard: Map<string, IntrospectionField>): boolean => {
    const seen = new Set<string>();
    return isWithin(set, standard, seen) && REQUIRED_FIELDS.every((name) => seen.has(name) || !standard.has(name));
  };
  const isWithin = (set: SelectionSetNode, standard: Map<string, IntrospectionField>, seen: Set<string>): boolean =>
    set.selections.every((node) => {
      if (node.directives?.length || node.kind === Kind.INLINE_FRAGMENT) return false;
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value);
        return fragment !== undefined && isWithin(fragment.selectionSet, standard, seen);
      }
      const known = standard.get(node.name.value);
      if (!known || node.alias || seen.has(node.name.value)) return false;
      seen.add(node.name.value);
      if (node.arguments?.length && printArguments(node) !== known.args) return false;
      return !node.selectionSet || isStandard(node.selectionSet, known.fields);
    });
  return isStandard(selectionSet, STANDARD_FIELDS);
}

function parseStandardFields(): Map<string, IntrospectionField> {
  const options = { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true };
  const document = parse(getIntrospectionQuery({ ...options, inputValueDeprecation: true, oneOf: true }));
  const fragments = collectFragments(document);
  const fieldsOf = (set: SelectionSetNode | undefined): [string, IntrospectionField][] =>
    (set?.selections ?? []).flatMap((node) => {
      if (node.kind === Kind.FRAGMENT_SPREAD) return fieldsOf(fragments.get(node.name.value)?.selectionSet);
      if (node.kind !== Kind.FIELD) return [];
      return [[node.name.value, { args: printArguments(node), fields: new Map(fieldsOf(node.selectionSet)) }]];
    });
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  return new Map(fieldsOf(operation?.selectionSet));
}

function collectFragments({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((node) => [node.name.value, node]));
}

function printArguments(node: FieldNode): string {
  return (node.arguments ?? []).map((each) => print(each)).join();
}
