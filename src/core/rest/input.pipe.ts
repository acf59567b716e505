import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { type Fault, InvalidRequest } from '../errors/app-error.js';
import { escape, unsound } from '../schema/sound.js';
import { keepEchoed, readOnly, recordFields } from './change-input.js';

type InputClass = new () => object;
type Plain = Record<string, unknown>;

/**
 * The one door for bodies and queries. Keys are taken in any spelling that clients in the field use
 * (`organizationId`, `organization_id`, `orgID`, `org_id`); every fault is named at once; what a record does not have
 * is refused in a body and ignored in a query.
 */
@Injectable()
export class InputPipe implements PipeTransform {
  private readonly known = new WeakMap<InputClass, Map<string, string>>();

  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || !metatype || !this.isInput(metatype)) return value;
    const given = value ?? {};
    if (typeof given !== 'object' || Array.isArray(given))
      throw new InvalidRequest('the body must be a JSON object', {
        errors: [{ pointer: '', detail: 'must be an object' }],
        remedy: 'Send a JSON object, and the header "Content-Type: application/json".',
      });
    return type === 'query' ? this.query(given as Plain, metatype) : this.body(given as Plain, metatype);
  }

  private query(given: Plain, metatype: InputClass): object {
    const keys = this.keysOf(metatype);
    const taken: Plain = {};
    for (const [key, value] of Object.entries(given)) {
      const name = keys.get(fold(key));
      if (name !== undefined) taken[name] = value;
    }
    return this.checked(taken, metatype, [], '');
  }

  private body(given: Plain, metatype: InputClass): object {
    const keys = this.keysOf(metatype);
    const record = new Map([...recordFields(metatype)].map((name) => [fold(name), name]));
    const taken: Plain = {};
    const echoed: Plain = {};
    const faults: Fault[] = [];
    for (const [key, value] of Object.entries(given)) {
      const name = keys.get(fold(key));
      const shown = record.get(fold(key) === 'orgid' ? 'organizationid' : fold(key));
      if (name !== undefined) taken[name] = value;
      else if (shown !== undefined) echoed[shown] = value;
      else faults.push({ pointer: `/${escape(key)}`, detail: `is not a field of this request` });
    }
    const input = this.checked(taken, metatype, faults, '/');
    if (input instanceof ChangeOnly) keepEchoed(input, echoed);
    else if (Object.keys(echoed).length > 0)
      throw readOnly(Object.keys(echoed).map((name) => ({ pointer: `/${name}`, detail: 'cannot be written' })));
    return input;
  }

  private checked(taken: Plain, metatype: InputClass, faults: Fault[], prefix: string): object {
    const unkept = Object.entries(taken).flatMap(([name, value]) => unsound(value, `${prefix}${name}`));
    if (unkept.length > 0) throw refusal([...faults, ...unkept]);
    const input = Object.assign(new metatype(), taken);
    const found = validateSync(input, { stopAtFirstError: true, forbidUnknownValues: false });
    const errors = [...faults, ...found.flatMap((error) => faultsOf(error, prefix))];
    if (errors.length === 0) return input;
    throw refusal(errors);
  }

  private isInput(metatype: unknown): metatype is InputClass {
    return typeof metatype === 'function' && metatype !== Object && this.keysOf(metatype as InputClass).size > 0;
  }

  private keysOf(metatype: InputClass): Map<string, string> {
    const kept = this.known.get(metatype);
    if (kept) return kept;
    const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
    const keys = new Map(rules.map((rule) => [fold(rule.propertyName), rule.propertyName]));
    if (keys.has('organizationid')) keys.set('orgid', 'organization_id');
    this.known.set(metatype, keys);
    return keys;
  }
}

/** The base of inputs that change a stored record: fields that cannot be written may be sent back as they are. */
export abstract class ChangeOnly {}

export const fold = (key: string): string => key.replace(/[_-]/g, '').toLowerCase();

const refusal = (errors: Fault[]): InvalidRequest =>
  new InvalidRequest(errors.map((e) => `${e.pointer?.replace(/^\//, '')} ${e.detail}`).join('; '), { errors });

function faultsOf(error: ValidationError, prefix: string): Fault[] {
  const pointer = `${prefix}${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((detail) => ({
    pointer,
    detail: detail.replace(new RegExp(`^${error.property} `), ''),
  }));
  const required = error.value === undefined && own.length > 0 ? [{ pointer, detail: 'is required' }] : own;
  return [...required, ...(error.children ?? []).flatMap((child) => faultsOf(child, `${pointer}/`))];
}
