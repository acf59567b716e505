import { isObject, type Json, type JsonObject } from '../core/json/json.js';
import type { LocatedDocument } from '../formats/documents/located-document.js';
import { toPointer, parsePointer } from '../core/json/json-pointer.js';
import { type GenerationCollector, MAX_SCHEMA_LENGTH } from './generation-collector.js';
import { mapSchema } from './schema-walk.js';
import { truncateText } from './truncate-text.js';

const MAX_SHOWN_LENGTH = 200;

/** A schema of the document, with its references rewritten to `#/definitions/…`. */
interface SchemaEntry {
  pointer: string;
  name: string;
  /** The schema as in the document. */
  schema: Json;
  /** Compact JSON and the referenced schemas, computed on first use. */
  written?: { text: string; titled: boolean; references: SchemaEntry[] };
}

/** The schemas of one document; makes any of them self-contained by including all that it references. */
export class SchemaLibrary {
  private readonly entries = new Map<string, SchemaEntry>();
  /** The used names, with the last number appended to each. */
  private readonly names = new Map<string, number>();

  /** @param contents gets the warnings about references without a target, or to outside the document */
  constructor(
    private readonly document: LocatedDocument,
    private readonly contents: GenerationCollector,
  ) {}

  /**
   * The schema at a pointer as compact JSON with a title. Every referenced schema is included once, under `definitions`, so that recursive
   * schemas are possible. When the text exceeds MAX_SCHEMA_LENGTH, the collection of definitions ends early; the caller must refuse it.
   */
  toSelfContained(pointer: string, title: string): string {
    const root = this.getEntry(pointer, resolveSegments(this.document.value, parsePointer(pointer)) ?? {});
    const { text, titled, references } = this.serialize(root);
    const needed = new Set<SchemaEntry>();
    const open = [...references];
    let length = text.length;
    for (let next = open.pop(); next && length <= MAX_SCHEMA_LENGTH; next = open.pop()) {
      if (needed.has(next)) continue;
      needed.add(next);
      const written = this.serialize(next);
      length += written.text.length;
      open.push(...written.references);
    }
    const members = [
      ...(titled ? [] : [`"title":${JSON.stringify(title)}`]),
      ...(text === '{}' ? [] : [text.slice(1, -1)]),
    ];
    const definitions = [...needed]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => `${JSON.stringify(entry.name)}:${this.serialize(entry).text}`);
    if (definitions.length > 0) members.push(`"definitions":{${definitions.join(',')}}`);
    return `{${members.join(',')}}`;
  }

  private getEntry(pointer: string, schema: Json): SchemaEntry {
    const known = this.entries.get(pointer);
    if (known) return known;
    const entry: SchemaEntry = { pointer, name: this.nameFor(pointer), schema };
    this.entries.set(pointer, entry);
    return entry;
  }

  private serialize(entry: SchemaEntry): NonNullable<SchemaEntry['written']> {
    if (entry.written) return entry.written;
    const references = new Set<SchemaEntry>();
    const changed = mapSchema(toSchemaObject(entry.schema), (inner, path) =>
      this.rewriteReferences(inner, entry, path, references),
    );
    const titled = isObject(changed) && 'title' in changed;
    entry.written = { text: JSON.stringify(changed), titled, references: [...references] };
    return entry.written;
  }

  /** Rewrites `$ref` and `discriminator`. Drops `$id`, which would change the base of references, and `$defs`, whose schemas are included where referenced. */
  private rewriteReferences(
    schema: JsonObject,
    entry: SchemaEntry,
    path: readonly (string | number)[],
    references: Set<SchemaEntry>,
  ): JsonObject {
    const { $id: _id, $defs: _defs, definitions: _definitions, ...rest } = schema;
    const { $ref: target, discriminator } = rest;
    if (typeof target === 'string') {
      const found = this.resolveReference(target, toPointer(...path, '$ref'), entry, references);
      if (found === undefined) delete rest['$ref'];
      else rest['$ref'] = found;
    }
    if (isObject(discriminator) && isObject(discriminator['mapping'])) {
      const mapping = Object.entries(discriminator['mapping']).map(([value, name]): [string, Json] => {
        if (typeof name !== 'string' || !name.startsWith('#')) return [value, name];
        const at = toPointer(...path, 'discriminator', 'mapping', value);
        return [value, this.resolveReference(name, at, entry, references) ?? name];
      });
      rest['discriminator'] = { ...discriminator, mapping: Object.fromEntries(mapping) };
    }
    return rest;
  }

  /** The rewritten reference: into `definitions`; unchanged when it leaves the document; undefined when it has no target. */
  private resolveReference(
    target: string,
    at: string,
    from: SchemaEntry,
    references: Set<SchemaEntry>,
  ): string | undefined {
    const place = { document: this.document, pointer: from.pointer + at };
    if (!target.startsWith('#')) {
      this.contents.addWarning(
        place,
        `refers to ${truncateText(target, MAX_SHOWN_LENGTH)}, which is not part of this file and is not read`,
        'Put the schema into the file.',
      );
      return target;
    }
    const segments = target.startsWith('#/') ? parsePointer(decodeFragment(target.slice(1))) : [];
    const schema = resolveSegments(this.document.value, segments);
    if (segments.length === 0 || (!isObject(schema) && typeof schema !== 'boolean')) {
      this.contents.addWarning(
        place,
        `refers to ${truncateText(target, MAX_SHOWN_LENGTH)}, which is not there; anything is accepted in its place`,
        'Correct the reference, or add the schema.',
      );
      return undefined;
    }
    const entry = this.getEntry(toPointer(...segments), schema);
    references.add(entry);
    return `#/definitions/${encodeURIComponent(entry.name)}`;
  }

  /** The name of a schema in the document, made unique with a number. */
  private nameFor(pointer: string): string {
    const name = (parsePointer(pointer).at(-1) ?? '').replace(/[~/]/g, '-');
    let result = name;
    let number = this.names.get(name) ?? 1;
    for (; this.names.has(result); result = `${name}-${number}`) number += 1;
    this.names.set(name, number);
    if (result !== name) this.names.set(result, 1);
    return result;
  }
}

/** Converts a boolean schema to an object, because readers of components accept objects only. */
function toSchemaObject(schema: Json): Json {
  if (schema === true) return {};
  return schema === false ? { not: {} } : schema;
}

function resolveSegments(value: Json, segments: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const segment of segments) {
    if (Array.isArray(at)) at = /^\d+$/.test(segment) ? at[Number(segment)] : undefined;
    else if (isObject(at) && Object.hasOwn(at, segment)) at = at[segment];
    else return undefined;
  }
  return at;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
