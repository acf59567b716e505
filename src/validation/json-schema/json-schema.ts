import { canonicalJson } from '../../core/json/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { StepBudget } from '../schema/step-budget.js';
import { Findings, quoted } from '../schema/findings.js';
import { hasSchemaFormat } from './json-schema-formats.js';
import { checkArrayRules, checkObjectRules, type SchemaRun } from './json-schema-parts.js';
import { compilePattern, type Pattern } from '../values/pattern.js';
import { jsonTypeOf } from '../structural/scalars.js';
import { countOf } from '../../core/errors/wording.js';

const MAX_STEPS = 50_000;
const UNSUPPORTED_KEYWORDS = ['unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'];

/**
 * Validates a value against a JSON Schema (draft-04 to 2020-12, or the dialect of OpenAPI). The schema is interpreted, because compiling an
 * untrusted schema takes too long. Keywords, patterns and references that cannot be evaluated are warnings.
 */
export function checkJsonSchema(value: Json, schema: JsonObject, findings: Findings): void {
  new Interpreter(schema, findings, new StepBudget(MAX_STEPS)).check(value, schema, '');
}

class Interpreter implements SchemaRun {
  constructor(
    private readonly root: JsonObject,
    readonly findings: Findings,
    private readonly budget: StepBudget,
  ) {}

  check(value: Json, schema: Json | undefined, at: string): void {
    this.budget.spend(1);
    if (schema === false) this.error(at, 'false schema', 'must not be there');
    if (!isObject(schema)) return;
    for (const keyword of UNSUPPORTED_KEYWORDS)
      if (Object.hasOwn(schema, keyword)) this.findings.notEvaluated('', `the keyword ${keyword} is not evaluated`);
    if (typeof schema['$ref'] === 'string') this.follow(schema['$ref'], value, at);
    if (value === null && schema['nullable'] === true) return;
    this.checkType(value, schema, at);
    this.checkValues(value, schema, at);
    if (typeof value === 'number') this.checkNumber(value, schema, at);
    else if (typeof value === 'string') this.checkText(value, schema, at);
    else if (Array.isArray(value)) {
      this.budget.spend(value.length);
      checkArrayRules(value, schema, at, this);
    } else if (isObject(value)) checkObjectRules(value, schema, at, this);
    this.checkBranches(value, schema, at);
  }

  attempt(value: Json, schema: Json | undefined, at: string): Findings {
    const own = new Findings();
    new Interpreter(this.root, own, this.budget).check(value, schema, at);
    return own;
  }

  error(at: string, keyword: string, detail: string): void {
    this.findings.error(at, keyword, detail);
  }

  pattern(source: string): Pattern | undefined {
    const pattern = compilePattern(source);
    if (typeof pattern !== 'string') return pattern;
    this.findings.notEvaluated('', `the pattern '${source}' is not valid in RE2: ${pattern}`);
    return undefined;
  }

  private follow(reference: string, value: Json, at: string): void {
    const target = reference.startsWith('#') ? this.find(reference) : undefined;
    if (target === undefined) this.findings.notEvaluated('', `the schema has nothing at the reference ${reference}`);
    else this.check(value, target, at);
  }

  /** The subschema that a local `$ref` (JSON Pointer or anchor) references. */
  private find(reference: string): Json | undefined {
    if (reference === '#') return this.root;
    const [, anchor] = /^#([^/].*)$/.exec(reference) ?? [];
    if (anchor !== undefined) return findAnchor(this.root, anchor);
    let place: Json | undefined = this.root;
    for (const segment of reference.slice(2).split('/')) {
      const key = decodePointer(segment).replaceAll('~1', '/').replaceAll('~0', '~');
      if (Array.isArray(place)) place = place[Number(key)];
      else place = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    }
    return place;
  }

  private checkType(value: Json, { type }: JsonObject, at: string): void {
    const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
    const own = jsonTypeOf(value);
    const isWhole = typeof value === 'number' && Number.isInteger(value);
    const fits = types.includes(own) || (typeof value === 'number' && types.includes(isWhole ? 'integer' : 'number'));
    if (types.length > 0 && !fits && !(isWhole && types.includes('number')))
      this.error(at, 'type', `must be ${types.join(' or ')}, not ${own}`);
  }

  private checkValues(value: Json, schema: JsonObject, at: string): void {
    const { enum: allowed, const: only } = schema;
    const is = (other: Json): boolean => canonicalJson(other) === canonicalJson(value);
    if (Array.isArray(allowed) && !allowed.some(is))
      this.error(at, 'enum', `must be one of ${allowed.map(quoted).join(', ')}`);
    if (only !== undefined && !is(only)) this.error(at, 'const', `must be ${quoted(only)}`);
  }

  private checkNumber(value: number, schema: JsonObject, at: string): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const isOver = (bound: Json | undefined): boolean => typeof bound === 'number' && value > bound;
    const isUnder = (bound: Json | undefined): boolean => typeof bound === 'number' && value < bound;
    if (isUnder(minimum)) this.error(at, 'minimum', `must be at least ${quoted(minimum)}`);
    if (isOver(maximum)) this.error(at, 'maximum', `must be at most ${quoted(maximum)}`);
    // A boolean next to the bound in draft-04 and OpenAPI 3.0; a number in later drafts.
    const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
    const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
    if (value === above || isUnder(above)) this.error(at, 'exclusiveMinimum', `must be more than ${quoted(above)}`);
    if (value === below || isOver(below)) this.error(at, 'exclusiveMaximum', `must be less than ${quoted(below)}`);
    const isMultiple =
      typeof multipleOf !== 'number' || Math.abs(value / multipleOf - Math.round(value / multipleOf)) < 1e-8;
    if (!isMultiple) this.error(at, 'multipleOf', `must be a multiple of ${quoted(multipleOf)}`);
  }

  private checkText(value: string, schema: JsonObject, at: string): void {
    const { minLength, maxLength, pattern, format } = schema;
    const length = typeof minLength === 'number' || typeof maxLength === 'number' ? Array.from(value).length : 0;
    if (typeof minLength === 'number' && length < minLength)
      this.error(at, 'minLength', `must have at least ${minLength} characters`);
    if (typeof maxLength === 'number' && length > maxLength)
      this.error(at, 'maxLength', `must have at most ${maxLength} characters`);
    if (typeof format === 'string' && !hasSchemaFormat(format, value))
      this.error(at, 'format', `must be of the format ${format}`);
    const compiled = typeof pattern === 'string' ? this.pattern(pattern) : undefined;
    this.budget.spend((value.length * (compiled?.size ?? 0)) >> 7);
    const isFound = compiled?.matches(value) ?? true;
    if (!isFound) this.error(at, 'pattern', `must match ${quoted(pattern)}`);
  }

  private checkBranches(value: Json, schema: JsonObject, at: string): void {
    const { allOf, anyOf, oneOf, not, if: test } = schema;
    if (Array.isArray(allOf)) for (const branch of allOf) this.check(value, branch, at);
    for (const [keyword, branches] of Object.entries({ anyOf, oneOf })) {
      if (!Array.isArray(branches)) continue;
      const results = branches.map((branch) => this.attempt(value, branch, at));
      const fitting = results.filter(({ errors }) => errors.length === 0);
      if (fitting.length === 0) {
        this.error(
          at,
          keyword,
          `must fit ${keyword === 'anyOf' ? 'at least' : 'exactly'} one of ${countOf(branches.length, 'schema')}`,
        );
        const [best] = results.toSorted((a, b) => a.errors.length - b.errors.length);
        if (best) this.findings.add(best);
      } else if (keyword === 'oneOf' && fitting.length > 1)
        this.error(at, keyword, `must fit exactly one schema, and fits ${fitting.length}`);
    }
    if (not !== undefined && this.attempt(value, not, at).errors.length === 0)
      this.error(at, 'not', 'must not fit the schema');
    if (test === undefined) return;
    const holds = this.attempt(value, test, at).errors.length === 0;
    this.check(value, holds ? schema['then'] : schema['else'], at);
  }
}

function decodePointer(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // an invalid escape is kept as written
  }
}

/** The subschema with an anchor: `$anchor`, or `$id` in older drafts. */
function findAnchor(part: Json, anchor: string): Json | undefined {
  if (typeof part !== 'object' || part === null) return undefined;
  if (isObject(part) && (part['$anchor'] === anchor || part['$id'] === `#${anchor}` || part['id'] === `#${anchor}`))
    return part;
  for (const inner of Object.values(part)) {
    const found = findAnchor(inner, anchor);
    if (found !== undefined) return found;
  }
  return undefined;
}
