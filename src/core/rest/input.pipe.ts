import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { getMetadataStorage, isUUID, validateSync, type ValidationError } from 'class-validator';
import { type Fault, InvalidRequest } from '../errors/app-error.js';
import { limitFaults, listFaults } from '../errors/problem.js';
import { PackedJson, TOO_MUCH_DATA_DETAIL, JsonUnpacker } from '../json/packed-json.js';
import { normalizeInput } from '../schema/one-line-text.js';
import { isRepeatable } from '../schema/repeatable.js';
import { keepValidationRules } from '../patches/class-validator/validation-rules.js';
import { currentRequest } from '../telemetry/request-context.js';
import { escapePointerSegment, findTextFault, findUnstorableParts } from '../json/storable-json.js';
import { FaultList } from './fault-list.js';
import { storeReadOnlyFields, readOnlyFieldError, getRecordFields } from './read-only-fields.js';
import { duplicateFault, foldKey, isContradiction, nameMembers, unknownFieldFault } from './unknown-fields.js';

type InputClass = new () => object;
type Plain = Record<string, unknown>;

/** Parameters whose empty value means something; an empty one of the others is as if it were not given. */
const MEANS_EMPTY: ReadonlySet<string> = new Set(['cursor']);

/**
 * Validates bodies and queries. Accepts property names in any common spelling (`organizationId`, `organization_id`,
 * `orgID`, `org_id`) and reports all faults together. Unknown properties are errors in a body and ignored in a
 * query.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  private readonly keysByInput = new WeakMap<InputClass, Map<string, string>>();
  private readonly recordFieldsByInput = new WeakMap<InputClass, Map<string, string>>();
  /** Inputs without required fields. */
  private readonly validWhenEmpty = new WeakSet<InputClass>();

  constructor() {
    keepValidationRules();
  }

  transform(value: unknown, { metatype, type, data }: ArgumentMetadata): unknown {
    if (type === 'query' && data !== undefined && Array.isArray(value)) throw toInvalidRequest(repeatedFault(data));
    if ((type !== 'body' && type !== 'query') || !metatype || !this.isInput(metatype)) return value;
    const given = value ?? {};
    if (typeof given !== 'object' || Array.isArray(given) || given instanceof PackedJson)
      throw new InvalidRequest('the body must be a JSON object', {
        errors: [{ pointer: '', detail: 'must be an object' }],
        remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
      });
    return type === 'query' ? this.parseQuery(given as Plain, metatype) : this.parseBody(given as Plain, metatype);
  }

  private parseQuery(given: Plain, metatype: InputClass): object {
    const keys = this.getKeys(metatype);
    const taken = new Map<string, unknown>();
    const found = new FaultList();
    for (const [key, value] of Object.entries(given)) {
      const name = keys.get(foldKey(key));
      if (name === undefined || (value === '' && !MEANS_EMPTY.has(name))) continue;
      const isRepeated = Array.isArray(value) && !isRepeatable(metatype, name);
      if (isRepeated) found.add(() => repeatedFault(key));
      if (isContradiction(taken, name, value)) found.add(() => duplicateFault(key));
      taken.set(name, isRepeated ? value[0] : value);
    }
    return this.validateInput(taken, metatype, found, '');
  }

  private parseBody(given: Plain, metatype: InputClass): object {
    const keys = this.getKeys(metatype);
    const record = this.getRecordFields(metatype);
    const taken = new Map<string, unknown>();
    const echoed: Plain = {};
    const unpacking = new JsonUnpacker(metatype);
    const found = new FaultList();
    for (const [key, value] of Object.entries(given)) {
      const name = keys.get(foldKey(key));
      const shown = record.get(foldKey(key) === 'orgid' ? 'organizationid' : foldKey(key));
      if (name !== undefined) {
        if (isContradiction(taken, name, value)) found.add(() => duplicateFault(`/${escapePointerSegment(key)}`));
        taken.set(name, value);
      } else if (shown !== undefined) echoed[shown] = unpacking.unpackField(shown, value)?.value;
      else found.add(() => unknownFieldFault('', key, keys.values()));
    }
    if (keys.get('orgid') !== undefined) takeOrganizationOfQuery(taken, found);
    const input = this.validateInput(taken, metatype, found, '/');
    if (input instanceof UpdateInput) storeReadOnlyFields(input, echoed);
    else if (Object.keys(echoed).length > 0)
      throw readOnlyFieldError(
        Object.keys(echoed).map((name) => ({ pointer: `/${name}`, detail: 'cannot be written' })),
      );
    return input;
  }

  /** Checks types before content: the content of a value of the wrong type is not validated. */
  private validateInput(
    taken: ReadonlyMap<string, unknown>,
    metatype: InputClass,
    found: FaultList,
    prefix: '' | '/',
  ): object {
    const input = new metatype() as Plain;
    const isEmpty = found.isEmpty && taken.size === 0;
    if (isEmpty && this.validWhenEmpty.has(metatype)) return input;
    const unpacking = new JsonUnpacker(metatype);
    const wrong = new Set<string>();
    for (const [name, given] of taken) {
      const before = found.count;
      const value = normalizeInput(input, name, given);
      const detail = typeof value === 'string' ? findTextFault(value) : undefined;
      const field = detail === undefined ? unpacking.unpackField(name, value) : undefined;
      // Validation rules throw on strings that are not well-formed, so those are rejected before.
      input[name] = detail === undefined ? nameMembers(input, name, (field ?? { value }).value, found) : undefined;
      if (found.count > before) wrong.add(name);
      if (field) continue;
      wrong.add(name);
      found.add(() => ({ pointer: `${prefix}${name}`, detail: detail ?? TOO_MUCH_DATA_DETAIL }));
    }
    const { faults } = found;
    for (const error of validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false })) {
      if (!wrong.has(error.property)) faults.push(...toFaults(error, prefix));
      wrong.add(error.property);
    }
    for (const [name, value] of taken)
      if (!wrong.has(name)) faults.push(...findUnstorableParts(value, `${prefix}${name}`));
    if (!found.isEmpty) throw toInvalidRequest(...listFaults(faults, found.omitted));
    if (isEmpty) this.validWhenEmpty.add(metatype);
    return input;
  }

  private isInput(metatype: unknown): metatype is InputClass {
    return typeof metatype === 'function' && metatype !== Object && this.getKeys(metatype as InputClass).size > 0;
  }

  private getRecordFields(metatype: InputClass): Map<string, string> {
    const kept = this.recordFieldsByInput.get(metatype);
    if (kept) return kept;
    const fields = new Map([...getRecordFields(metatype)].map((name) => [foldKey(name), name]));
    this.recordFieldsByInput.set(metatype, fields);
    return fields;
  }

  private getKeys(metatype: InputClass): Map<string, string> {
    const kept = this.keysByInput.get(metatype);
    if (kept) return kept;
    const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    const keys = new Map(rules.map((rule) => [foldKey(rule.propertyName), rule.propertyName]));
    if (keys.has('organizationid')) keys.set('orgid', 'organization_id');
    this.keysByInput.set(metatype, keys);
    return keys;
  }
}

/** Base class of inputs that change a stored record: they accept read-only fields with unchanged values. */
export abstract class UpdateInput {}

const repeatedFault = (pointer: string): Fault => ({ pointer, detail: 'must be given once' });

/** Takes the organization from the query when the body has none. */
function takeOrganizationOfQuery(taken: Map<string, unknown>, found: FaultList): void {
  const named = currentRequest()?.organizationInQuery;
  if (named === undefined) return;
  if (typeof named !== 'string' || !isUUID(named, 'all'))
    found.add(() => ({ pointer: 'orgID', detail: 'must be a UUID' }));
  else if (isOtherId(taken.get('organization_id'), named))
    found.add(() => ({ pointer: 'orgID', detail: 'is another organization than organization_id of the body' }));
  else taken.set('organization_id', taken.get('organization_id') ?? named);
}

const isOtherId = (id: unknown, named: string): boolean =>
  typeof id === 'string' && id.toLowerCase() !== named.toLowerCase();

function toInvalidRequest(...errors: Fault[]): InvalidRequest {
  const named = limitFaults(errors).map(({ pointer = '', detail }) => `${pointer.replace(/^\//, '')} ${detail}`.trim());
  return new InvalidRequest(named.join('; '), { errors });
}

function toFaults(error: ValidationError, prefix: string): Fault[] {
  const pointer = prefix === '' && error.property === 'organization_id' ? 'orgID' : `${prefix}${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((detail) => ({
    pointer,
    detail: detail.startsWith(`${error.property} `) ? detail.slice(error.property.length + 1) : detail,
  }));
  const required = error.value === undefined && own.length > 0 ? [{ pointer, detail: 'is required' }] : own;
  return [...required, ...(error.children ?? []).flatMap((child) => toFaults(child, `${pointer}/`))];
}
