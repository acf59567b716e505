import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject, asObject, asText } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type RawDefinition } from './raw-definition.js';
import { MemberReader } from './member-reader.js';
import { readRegistrant } from './model-definition-reader.js';

/** The model reference of a component or a relationship; missing parts are empty. */
export interface ModelReference {
  name: string;
  version: string;
  /** A version that may be that of the model, or only of its definition. */
  doubtfulVersion: string;
  hostname: string;
  /** The embedded copy of the model, and its location. */
  value: JsonObject;
  pointer: string;
  /** Metadata of a component that describes the model as well. */
  around: JsonObject;
}

export function readModelReference({ value, older, pointer }: RawDefinition, faults: Fault[]): ModelReference {
  const members = new MemberReader(value, pointer, faults);
  const around = older ? asObject(value['metadata']) : {};
  const own = members.readObject('model') ?? {};
  const member =
    asText(own['name']) === '' && hasName(members.readObject('modelReference')) ? 'modelReference' : 'model';
  const at = pointer + toPointer(member);
  const model = members.nested(member);
  const name = model.readText('name') || asText(around['model']);
  const nested = model.nested('model').readText('version');
  const whole = model.readText('version');
  return {
    name,
    version: nested || (older ? whole : ''),
    doubtfulVersion: nested === '' && !older ? whole : '',
    hostname: readRegistrant(model.nested('registrant')).hostname,
    value: asObject(value[member]),
    pointer: at,
    around,
  };
}

function hasName(model: JsonObject | undefined): boolean {
  return asText(model?.['name']) !== '';
}
