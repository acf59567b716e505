import type { Request } from 'express';
import { validate } from 'uuid';
import { foldKey } from '../unknown-fields.js';

/** The maximum number of fields to examine; no route has as many. */
const MAX_FIELDS = 1000;

/** The unvalidated fields of a request's body, otherwise of its query, in any common spelling. */
export class RequestFields {
  private readonly fields = new Map<string, unknown>();
  private readonly parameters: Readonly<Record<string, unknown>>;

  constructor({ body, query, params = {} }: Pick<Request, 'query'> & { body?: unknown; params?: Request['params'] }) {
    this.parameters = params;
    this.add(query);
    this.add(body);
  }

  value(name: string): unknown {
    return this.fields.get(foldKey(name));
  }

  /** The UUID in a field; undefined when it is missing or malformed. */
  id(name: string): string | undefined {
    const value = this.value(name);
    return typeof value === 'string' && validate(value) ? value.toLowerCase() : undefined;
  }

  /** The UUID in a path parameter; undefined when it is not a UUID. */
  pathId(name: string): string | undefined {
    const value = this.parameters[name];
    return typeof value === 'string' && validate(value) ? value.toLowerCase() : undefined;
  }

  private add(source: unknown): void {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) return;
    let left = MAX_FIELDS;
    for (const name in source) {
      if (left-- === 0) return;
      const folded = foldKey(name);
      this.fields.set(folded === 'orgid' ? 'organizationid' : folded, (source as Record<string, unknown>)[name]);
    }
  }
}
