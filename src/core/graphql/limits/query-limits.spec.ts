import { ApolloServer } from '@apollo/server';
import {
  type ExecutionArgs,
  type OperationDefinitionNode,
  buildSchema,
  getIntrospectionQuery,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { findDocumentError, PARSE_OPTIONS } from './document-limits.js';
import { QUERY_LIMITS, findLimitError, findVariablesError } from './query-limits.js';
import { createQueryLimitsPlugin } from './query-limits.plugin.js';
import { measureQuery } from './query-size.js';

const typeDefs = /* GraphQL */ `
  input PageFilter {
    page: String!
    pageSize: String!
    search: String
  }
  type Item {
    id: ID!
    name: String
    tags: [String!]
    parent: Item
    children: [Item!]!
    page(first: Int = 10): [Item!]!
  }
  type ItemPage {
    page: Int!
    total_count: Int!
    items: [Item!]!
  }
  type Query {
    item: Item
    few: [Item!]!
    fetchItems(selector: PageFilter!): ItemPage!
    items(page: Int, pagesize: String): ItemPage!
  }
`;
const schema = buildSchema(typeDefs);

const size = (source: string, variables?: ExecutionArgs['variableValues']) => {
  const document = parse(source);
  return measureQuery(schema, document, getOperationAST(document) as OperationDefinitionNode, variables ?? {});
};
const codeOf = (source: string) => {
  const document = parse(source);
  const [operation] = document.definitions;
  return findLimitError(schema, document, operation as OperationDefinitionNode, undefined)?.extensions['code'];
};
const nested = (levels: number) => `{ item ${'{ parent '.repeat(levels - 2)} { id } ${'}'.repeat(levels - 2)} }`;

describe('The cost of an operation', () => {
  it('is one for each field', () => {
    expect(size('{ item { id name parent { id } } }')).toEqual({ depth: 3, cost: 5, aliases: 0 });
  });

  it('multiplies the items of a page by the page size of its selector, given or in variables', () => {
    const cost = (source: string, variables?: Record<string, unknown>) => size(source, variables).cost;
    expect(cost('{ fetchItems(selector: { page: "0", pageSize: "100" }) { page items { id name } } }')).toBe(203);
    expect(
      cost('query ($s: PageFilter!) { fetchItems(selector: $s) { page items { id name } } }', {
        s: { page: '0', pageSize: '100' },
      }),
    ).toBe(203);
    expect(
      cost('query ($n: String!) { fetchItems(selector: { page: "0", pageSize: $n }) { page items { id name } } }', {
        n: 50,
      }),
    ).toBe(103);
    expect(cost('query ($n: String = "30") { items(pagesize: $n) { items { id } } }')).toBe(32);
  });

  it('takes twenty items when a page size is not given or malformed, and five hundred for "all"', () => {
    expect(size('{ items { items { id } } }').cost).toBe(22);
    for (const malformed of ['', '-1', '0', 'many', 'Infinitely'])
      expect(size(`{ items(pagesize: "${malformed}") { items { id } } }`).cost).toBe(22);
    expect(size('{ items(pagesize: "all") { items { id } } }').cost).toBe(502);
  });

  it('uses the default of an argument, multiplies lists in lists and takes five items of lists without a page', () => {
    expect(size('{ item { page { id } } }').cost).toBe(12);
    expect(size('{ item { page(first: 3) { page(first: 4) { id } } } }').cost).toBe(2 + 3 * (1 + 4));
    expect(size('{ few { id tags children { id } } }').cost).toBe(1 + 5 * (2 + 1 + 5));
  });

  it('is the same through fragments as without them', () => {
    const plain = '{ fetchItems(selector: { page: "0", pageSize: "7" }) { items { id name children { id } } } }';
    const spread = `
      { fetchItems(selector: { page: "0", pageSize: "7" }) { ...P } }
      fragment P on ItemPage { ... { items { ...I } } }
      fragment I on Item { id ... on Item { name } children { id } }`;
    expect(size(spread)).toEqual(size(plain));
  });
});

describe('The limits', () => {
  it('let twelve levels pass and refuse thirteen', () => {
    expect(codeOf(nested(12))).toBeUndefined();
    expect(codeOf(nested(13))).toBe('QUERY_TOO_DEEP');
  });

  it('say the limit, what was counted and what to do', () => {
    const document = parse('{ fetchItems(selector: { page: "0", pageSize: "2000" }) { items { id name tags } } }');
    const operation = getOperationAST(document) as OperationDefinitionNode;
    const error = findLimitError(schema, document, operation, null);
    expect(error?.message).toBe('The operation asks for too many fields: its cost is 6002, the limit 5000.');
    expect(error?.extensions).toMatchObject({ code: 'QUERY_TOO_COSTLY', limit: 5000, actual: 6002 });
    expect(error?.extensions['remedy']).toContain('smaller page');
  });

  it('count aliases wherever they stand, and those of a fragment once', () => {
    const aliases = (count: number) => Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ');
    expect(codeOf(`{ ${aliases(20)} }`)).toBeUndefined();
    expect(codeOf(`{ ${aliases(21)} }`)).toBe('TOO_MANY_ALIASES');
    expect(codeOf(`{ item { ...F } } fragment F on Item { ${aliases(21)} }`)).toBe('TOO_MANY_ALIASES');
    expect(size(`{ item { ...F parent { ...F } } } fragment F on Item { ${aliases(15)} }`).aliases).toBe(15);
  });

  it.each([
    ['as graphql-js makes it', {}],
    ['without descriptions', { descriptions: false }],
    [
      'with all options',
      {
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        schemaDescription: true,
        inputValueDeprecation: true,
        oneOf: true,
      },
    ],
  ])('do not hold for the introspection query of tools %s', (_, options) => {
    expect(size(getIntrospectionQuery(options)).cost).toBeGreaterThan(QUERY_LIMITS.cost);
    expect(codeOf(getIntrospectionQuery(options))).toBeUndefined();
  });

  it('hold for every other use of the introspection', () => {
    const standard = getIntrospectionQuery();
    const rename = (from: string, to: string): string => standard.replace(from, to);
    expect(codeOf(rename('queryType {', 'a: queryType {'))).toBe('QUERY_TOO_DEEP');
    expect(codeOf(rename('queryType {', 'queryType { ...FullType '))).toBe('QUERY_TOO_DEEP');
    expect(codeOf(rename('types {', 'types @include(if: true) {'))).toBe('QUERY_TOO_DEEP');
    expect(codeOf(rename('__schema {', 'item { id } __schema {'))).toBe('QUERY_TOO_DEEP');
    const aliases = Array.from({ length: 1_600 }, (_, n) => `a${n}: __schema { queryType { name } }`).join(' ');
    expect(codeOf(`{ ${aliases} }`)).toBe('TOO_MANY_ALIASES');
    const nested = (levels: number): string =>
      levels === 0 ? 'name' : `name fields { args { type { ${nested(levels - 1)} } } }`;
    expect(codeOf(`{ __schema { types { ${nested(2)} } } }`)).toBe('QUERY_TOO_COSTLY');
    expect(codeOf('{ __type(name: "Item") { name fields { name } } }')).toBeUndefined();
  });

  it('let an operation that asks for the schema alone cost as much as the introspection query of tools', () => {
    const fields = '__schema { types { name kind fields { name args { name type { name ofType { name } } } } } }';
    expect(size(`{ ${fields} }`).cost).toBeGreaterThan(QUERY_LIMITS.cost);
    expect(codeOf(`{ ${fields} }`)).toBeUndefined();
    expect(codeOf(`{ item { id } ${fields} }`)).toBe('QUERY_TOO_COSTLY');
  });

  it('refuses variables of more values than any input has, however they are nested', () => {
    const members = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    expect(findVariablesError({ selector: members(400) })).toBeNull();
    expect(findVariablesError({ selector: members(600) })?.extensions['code']).toBe('VARIABLES_TOO_LARGE');
    expect(findVariablesError({ list: [members(300), [members(300)]] })?.extensions['code']).toBe(
      'VARIABLES_TOO_LARGE',
    );
    expect(findVariablesError(undefined)).toBeNull();
  });

  it('bound the length of a document, and what it has of operations, fragments, variables and directives', () => {
    expect(findDocumentError('{ item { id } }')).toBeNull();
    expect(findDocumentError(`{ item { id } } #${'x'.repeat(50_000)}`)?.extensions['code']).toBe('DOCUMENT_TOO_LARGE');
    const many = (count: number, part: (n: number) => string): string =>
      Array.from({ length: count }, (_, n) => part(n)).join(' ');
    for (const source of [
      many(26, (n) => `query Q${n} { item { id } }`),
      `{ item { id } } ${many(51, (n) => `fragment F${n} on Item { id }`)}`,
      `query (${many(51, (n) => `$v${n}: Int`)}) { item { id } }`,
      `{ item { ${many(51, () => 'id @include(if: true)')} } }`,
    ])
      expect(codeOf(source)).toBe('DOCUMENT_TOO_LARGE');
  });

  it.each([
    ['the same field', `{ ${'item { id } '.repeat(490)} }`],
    ['one alias', `{ ${'a: item { id } '.repeat(330)} }`],
    ['a field in inline fragments', `{ ${'... { item { id } } '.repeat(270)} }`],
    ['a field with arguments', `{ item { ${'page(first: 1) { id } '.repeat(200)} } }`],
    ['one fragment', `{ ${'...F '.repeat(101)} } fragment F on Query { item { id name } few { id name } }`],
    [
      'fields of many fragments',
      `{ item { ${Array.from({ length: 30 }, (_, n) => `...F${n}`).join(' ')} } } ${Array.from({ length: 30 }, (_, n) => `fragment F${n} on Item { ${'parent { id } '.repeat(12)} }`).join(' ')}`,
    ],
  ])('refuse a document before it is validated that asks again and again for %s', (_, source) => {
    expect(() => parse(source, PARSE_OPTIONS)).not.toThrow();
    expect(findDocumentError(source)?.extensions['code']).toBe(
      source.includes('a: ') ? 'TOO_MANY_ALIASES' : 'DOCUMENT_TOO_LARGE',
    );
  });

  it('let pass what tools and people ask', () => {
    expect(findDocumentError(getIntrospectionQuery())).toBeNull();
    const aliases = Array.from({ length: 20 }, (_, n) => `a${n}: item { id name tags parent { id name } }`).join(' ');
    expect(findDocumentError(`{ ${aliases} }`)).toBeNull();
    expect(findDocumentError(`{ ${'a '.repeat(200)}`)).toBeNull();
    expect(findDocumentError(undefined)).toBeNull();
  });

  it('let no document pass whose validation takes long', () => {
    const times = (count: number, part: (n: number) => string): string =>
      Array.from({ length: count }, (_, n) => part(n)).join(' ');
    const worst = [
      `{ item { ${times(70, () => 'parent { id name } page { id name }')} } }`,
      `{ item { ${times(49, (n) => `...F${n}`)} } } ${times(49, (n) => `fragment F${n} on Item { parent { id } ...F${(n + 1) % 50} }`)} fragment F49 on Item { id }`,
      `{ ${times(330, (n) => `a${n}: item { id }`).replaceAll('id', 'name')} }`,
    ];
    for (const source of worst) {
      const document = findDocumentError(source) ? null : parse(source, PARSE_OPTIONS);
      if (document) validate(schema, document);
      const used = [1, 2, 3, 4, 5].map(() => {
        const before = process.cpuUsage();
        if (document) validate(schema, document);
        return process.cpuUsage(before).user / 1000;
      });
      // 20 ms on an idle machine; 200 without the limits. Other threads of the process count, too.
      expect(Math.min(...used)).toBeLessThan(60);
    }
  });

  it('measure fragments that double at each level, and cycles of them, at once', () => {
    const doubling = Array.from({ length: 49 }, (_, n) => `fragment F${n} on Item { ...F${n + 1} ...F${n + 1} }`);
    const started = performance.now();
    expect(codeOf(`{ item { ...F0 } } ${doubling.join(' ')} fragment F49 on Item { id }`)).toBe('QUERY_TOO_COSTLY');
    expect(size('{ item { ...A } } fragment A on Item { parent { ...B } } fragment B on Item { id ...A }').depth).toBe(
      3,
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('bound what is parsed at all', () => {
    expect(() => parse(`{ ${'__typename '.repeat(6_000)} }`, PARSE_OPTIONS)).toThrow('2000 tokens');
  });
});

describe('Apollo with the limits', () => {
  const apollo = new ApolloServer({ typeDefs, plugins: [createQueryLimitsPlugin()], parseOptions: PARSE_OPTIONS });
  afterAll(() => apollo.stop());

  it('refuses by the page size in variables, and does not execute', async () => {
    const query = 'query ($s: PageFilter!) { fetchItems(selector: $s) { items { id name } } }';
    const { body, http } = await apollo.executeOperation({
      query,
      variables: { s: { page: '0', pageSize: '5000' } },
    });
    expect(http.status).toBe(400);
    expect(body).toMatchObject({
      singleResult: { errors: [{ extensions: { code: 'QUERY_TOO_COSTLY', limit: 5000, actual: 10_002 } }] },
    });
    expect(body).not.toHaveProperty('singleResult.data');
    expect(body).not.toHaveProperty('singleResult.errors.0.extensions.http');
  });

  it('lets the introspection query of tools pass', async () => {
    const { body } = await apollo.executeOperation({ query: getIntrospectionQuery() });
    expect(body).toHaveProperty('singleResult.data.__schema');
  });
});
