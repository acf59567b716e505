import {
  defaultFieldResolver,
  getNamedType,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import { InvalidRequest } from '../../errors/app-error.js';
import { currentRequest } from '../../telemetry/request-context.js';

/**
 * Limits the cost of an operation while it runs by counting the fields of returned lists, because the length of a
 * list without pages is unknown before. A list that exceeds the limit is replaced by an error.
 */
export function countAnsweredLists(schema: GraphQLSchema, limit: number): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) && !isIntrospectionType(type))
      for (const field of Object.values(type.getFields())) if (isRecordList(field)) countField(field, limit);
  return schema;
}

function isRecordList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type) && isObjectType(getNamedType(type));
}

function countField(field: GraphQLField<unknown, unknown>, limit: number): void {
  const { resolve = defaultFieldResolver } = field;
  field.resolve = (source, args, context, info): unknown => {
    const counted = (list: unknown): unknown => {
      if (Array.isArray(list) && list.length > 0) countAnswered(list.length * countSelectedFields(info), limit);
      return list;
    };
    // Keep a synchronous list synchronous: a later turn of the event loop would split the batches of loaders.
    const list: unknown = resolve(source, args, context, info);
    return list instanceof Promise ? list.then(counted) : counted(list);
  };
}

/** @throws InvalidRequest QUERY_TOO_COSTLY */
function countAnswered(fields: number, limit: number): void {
  const answer = currentRequest()?.response;
  if (!answer) return;
  answer.listedFields += fields;
  if (answer.listedFields <= limit) return;
  throw new InvalidRequest(`The lists of this response have more than ${limit} fields together.`, {
    code: 'QUERY_TOO_COSTLY',
    remedy: 'Ask for fewer fields, for a smaller page, or for fewer lists in lists.',
    extensions: { limit },
  });
}

/** Counts the selected fields of one item; a nested list counts as one item. */
function countSelectedFields({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  const count = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, node) => {
      if (node.kind === Kind.FIELD) return sum + 1 + count(node.selectionSet);
      return (
        sum + count(node.kind === Kind.INLINE_FRAGMENT ? node.selectionSet : fragments[node.name.value]?.selectionSet)
      );
    }, 0);
  return fieldNodes.reduce((sum, { selectionSet }) => sum + count(selectionSet), 0);
}
