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
import { limitRemedy } from '../../errors/limit-remedy.js';
import { currentRequest } from '../../telemetry/request-context.js';

/**
 * Counts the fields that lists of records answer while an operation runs, so that its cost holds for what comes as well: how long a list
 * without a page is, nobody knows before. A list that would go over the limit is an error in its place.
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
    // A list that is there at once stays so: another turn would divide what loaders read together.
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
  throw new InvalidRequest(`The lists of this answer have more than ${limit} fields together.`, {
    code: 'QUERY_TOO_COSTLY',
    remedy: limitRemedy('Ask for fewer fields, for a smaller page, or for fewer lists in lists.', 'LIMIT_GRAPHQL_COST'),
    extensions: { limit },
  });
}

/** What each item answers, lists in it as one item. */
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
