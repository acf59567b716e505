import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject, objectOf, pointerTo, textOf } from '../../formats/located.js';
import { type FoundDefinition } from './found-definition.js';
import { Members } from './members.js';
import { registrantOf } from './model-definition.js';

/** Which model a component or a relationship says that it belongs to; what it does not say is empty. */
export interface ModelReference {
  name: string;
  version: string;
  /** A version that may be the one of the model, or only of its definition. */
  doubtfulVersion: string;
  hostname: string;
  /** The embedded copy of the model, and where it stands. */
  value: JsonObject;
  pointer: string;
  /** Metadata of a component that tells of the model as well. */
  around: JsonObject;
}

export function modelReferenceOf({ value, older, pointer }: FoundDefinition, faults: Fault[]): ModelReference {
  const members = new Members(value, pointer, faults);
  const around = older ? objectOf(value['metadata']) : {};
  const own = members.objectAt('model') ?? {};
  const member = textOf(own['name']) === '' && isNamed(members.objectAt('modelReference')) ? 'modelReference' : 'model';
  const at = pointer + pointerTo(member);
  const model = members.within(member);
  const name = model.text('name') || textOf(around['model']);
  const nested = model.within('model').text('version');
  const whole = model.text('version');
  return {
    name,
    version: nested || (older ? whole : ''),
    doubtfulVersion: nested === '' && !older ? whole : '',
    hostname: registrantOf(model.within('registrant')).hostname,
    value: objectOf(value[member]),
    pointer: at,
    around,
  };
}

function isNamed(model: JsonObject | undefined): boolean {
  return textOf(model?.['name']) !== '';
}
