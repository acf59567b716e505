import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Json } from './person.js';

interface DocumentedOperation {
  id: string;
  segments: string[];
  responses: Json;
}

/** What HTTP itself refuses, of any operation: a method, a slow, too long or unknown request. */
const OF_HTTP: ReadonlySet<number> = new Set([405, 408, 414, 417, 431, 501]);

/** The OpenAPI document as tests hold servers to it: objects that do not allow further members have none. */
class ServedDocument {
  private readonly document: Json = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
  private readonly operations = new Map<string, DocumentedOperation[]>();
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly ajv = new Ajv2020({ strict: false, validateSchema: false });

  constructor() {
    closeObjects(this.document);
    addFormats.default(this.ajv, { mode: 'fast' });
    this.ajv.addSchema(this.document, 'document');
    for (const [path, methods] of Object.entries<Json>(this.document.paths))
      for (const [method, operation] of Object.entries<Json>(methods)) {
        const segments = path.split('/');
        const key = keyOf(method.toUpperCase(), segments);
        const found = { id: operation.operationId, segments, responses: operation.responses };
        this.operations.set(key, [...(this.operations.get(key) ?? []), found]);
      }
  }

  /** What differs from the document; undefined for what complies or belongs to no operation. */
  findFault(method: string, path: string, { status, headers, body }: Answer): string | undefined {
    const operation = this.findOperation(method, path.replace(/\?.*$/s, '').split('/'));
    if (!operation || OF_HTTP.has(status)) return undefined;
    const place = `${operation.id} ${status}`;
    const declared = operation.responses[status];
    if (!declared) return `${place}: the status is not documented`;
    const response = declared.$ref ? this.resolve(declared.$ref) : declared;
    const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
    // Pages for browsers, which links in mail open, are no part of the document.
    if (mediaType === 'text/html') return undefined;
    const content = response.content?.[mediaType];
    if (!content) return response.content ? `${place}: the media type ${mediaType} is not documented` : undefined;
    if (!/[/+]json$/.test(mediaType) || content.schema.format === 'binary') return undefined;
    const validate = this.validatorOf(place, content.schema);
    return validate(body) ? undefined : `${place}: ${describe(validate.errors)}`;
  }

  /** A parameter may be anything; of several operations the one with most words in the path is meant. */
  private findOperation(method: string, segments: string[]): DocumentedOperation | undefined {
    const matching = (this.operations.get(keyOf(method, segments)) ?? []).filter((operation) =>
      operation.segments.every((segment, index) => segment.startsWith('{') || segment === segments[index]),
    );
    const words = ({ segments: names }: DocumentedOperation) =>
      names.map((name) => (name.startsWith('{') ? 1 : 0)).join('');
    return matching.sort((a, b) => (words(a) < words(b) ? -1 : 1))[0];
  }

  private validatorOf(place: string, schema: Json): ValidateFunction {
    const known = this.validators.get(place);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = this.ajv.compile(JSON.parse(text) as object);
    this.validators.set(place, validate);
    return validate;
  }

  private resolve(ref: string): Json {
    return ref
      .slice(2)
      .split('/')
      .reduce((at: Json, key) => at[key], this.document);
  }
}

const keyOf = (method: string, segments: string[]): string =>
  `${method === 'PATCH' ? 'PUT' : method} ${segments.length}`;

function closeObjects(at: Json): void {
  if (typeof at !== 'object' || at === null) return;
  if (at.properties && at.type?.includes('object')) at.additionalProperties ??= false;
  Object.values(at).forEach(closeObjects);
}

const describe = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? [])
    .map(({ instancePath, message, params }) => {
      const member = (params as { additionalProperty?: string }).additionalProperty;
      return `${instancePath || '/'} ${message}${member === undefined ? '' : ` (${member})`}`;
    })
    .join('; ');

let served: ServedDocument | undefined;

/** @throws Error naming the operation and the place when a response is not what the OpenAPI document says */
export function assertDocumented(method: string, path: string, response: Answer): void {
  const fault = (served ??= new ServedDocument()).findFault(method, path, response);
  if (fault) throw new Error(`the response is not what docs/api/openapi.json says: ${fault}`);
}
