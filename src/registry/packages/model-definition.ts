import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject, objectOf, textOf } from '../../formats/located.js';
import { type ModelDefinition, type RegistrantDefinition } from '../definition.js';
import { Members } from './members.js';

/** `version` of a definition that says none: all definitions of this layout have it. */
export const DEFINITION_VERSION = 'v1.0.0';

/** Names and versions become folders when a model is exported. */
const PATH = /[/\\]|^\.\.?$/;
const APPEARANCE = ['primaryColor', 'secondaryColor', 'shape', 'svgColor', 'svgWhite', 'svgComplete', 'logoURL'];
const COUNTS = ['components_count', 'relationships_count', 'componentsCount', 'relationshipsCount'];

/** Reads the content of a model file. */
export function readModel(value: JsonObject, pointer: string, faults: Fault[]): ModelDefinition {
  const members = new Members(value, pointer, faults);
  const nested = members.within('model');
  const name = members.name('name', 'Give the name of the model.');
  const version = nested.name('version', 'Give the version of the model as model.version.');
  mustNotBePath(members, 'name', name);
  mustNotBePath(nested, 'version', version);
  const own = ownVersion(members);
  return modelOf({ members, name, version, parts: { model: nested.rest() }, own, around: {} });
}

/**
 * Reads what a component or a relationship has under `model`, once name and version are known. `around` is the metadata of a component of the form
 * core.meshery.io/v1alpha1, which tells of the model as well.
 */
export function readEmbeddedModel(
  value: JsonObject,
  pointer: string,
  faults: Fault[],
  { name, version, around }: { name: string; version: string; around: JsonObject },
): ModelDefinition {
  const members = new Members(value, pointer, faults);
  const nested = members.within('model');
  const versioned = nested.value('version') === version ? nested : members;
  members.drop('name', 'version');
  members.mustBeName('name', name);
  versioned.mustBeName('version', version);
  mustNotBePath(members, 'name', name);
  mustNotBePath(versioned, 'version', version);
  const own = versioned === nested ? ownVersion(members) : {};
  return modelOf({ members, name, version, parts: { model: nested.rest() }, own, around });
}

/** Lowercase; a registrant that says less than both is told apart by what it says, and one that says nothing is this server. */
export function registrantOf(members: Members): RegistrantDefinition {
  const kind = members.text('kind').toLowerCase();
  const name = members.text('name').toLowerCase();
  const hostname = members.text('hostname').toLowerCase() || (/\s/.test(name) ? '' : name) || kind;
  members.mustBeName('hostname', hostname);
  members.mustBeName('kind', kind);
  return { hostname: hostname || 'meshery', kind: kind || hostname || 'meshery' };
}

/** `version` of a definition, which says how old it is and not what it is about, where it is not the usual one. */
export function ownVersion(members: Members): JsonObject {
  const version = members.text('version');
  return version === '' || version === DEFINITION_VERSION ? {} : { version };
}

/** `rest` with what is left of members that have a home, so that an export gives both back together. */
export function withParts(rest: JsonObject, parts: JsonObject): JsonObject {
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(objectOf(part)).length > 0);
  return { ...rest, ...Object.fromEntries(filled) };
}

interface ModelParts {
  members: Members;
  name: string;
  version: string;
  own: JsonObject;
  parts: JsonObject;
  around: JsonObject;
}

function modelOf({ members, name, version, own, parts, around }: ModelParts): ModelDefinition {
  members.drop('schemaVersion', 'components', 'relationships', ...COUNTS);
  const category = members.within('category');
  const registrant = members.within('registrant');
  const metadata = members.objectAt('metadata') ?? {};
  const model = {
    name,
    displayName:
      members.text('displayName', 'display-name', 'model-display-name') || textOf(around['modelDisplayName']) || name,
    version,
    description: members.text('description'),
    category: category.text('name'),
    subCategory: members.text('subCategory', 'sub_category', 'sub-category') || textOf(around['subCategory']),
    registrant: registrantOf(registrant),
    metadata: Object.keys(metadata).length > 0 ? metadata : appearanceOf(around),
  };
  category.drop('id');
  const left = { ...parts, category: category.rest(), registrant: recordless(objectOf(members.value('registrant'))) };
  return { ...model, rest: withParts({ ...members.rest(), ...own }, left) };
}

/** What a registrant says of itself; the rest is the record that it was somewhere else. */
function recordless({
  hostname: _h,
  kind: _k,
  id: _i,
  status: _s,
  schemaVersion: _v,
  ...registrant
}: JsonObject): JsonObject {
  const said = Object.entries(registrant).filter(
    ([name, value]) => textOf(value) !== '' && !/(?:_id|Id|_at|At)$/.test(name),
  );
  return Object.fromEntries(said);
}

function mustNotBePath(members: Members, member: string, text: string): void {
  if (PATH.test(text)) members.fault(member, 'is a path', 'Choose one without slashes.');
}

/** A component of the older form has the icons of its model, which the model itself often lacks. */
function appearanceOf(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => APPEARANCE.includes(name)));
}
