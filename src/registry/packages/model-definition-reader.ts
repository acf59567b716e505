import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject, asObject, asText } from '../../core/json/json.js';
import {
  type ModelDefinition,
  OWN_REGISTRANT,
  type RegistrantDefinition,
} from '../../formats/definitions/definitions.js';
import { MemberReader } from './member-reader.js';

/** The default `version` of a definition: all definitions of this layout have it. */
export const DEFINITION_VERSION = 'v1.0.0';

/** Names and versions become folders in an export. */
const PATH_PATTERN = /[/\\]|^\.\.?$/;
const APPEARANCE_MEMBERS = [
  'primaryColor',
  'secondaryColor',
  'shape',
  'svgColor',
  'svgWhite',
  'svgComplete',
  'logoURL',
];
const COUNT_MEMBERS = ['components_count', 'relationships_count', 'componentsCount', 'relationshipsCount'];

/** Reads the content of a model file. */
export function readModelDefinition(value: JsonObject, pointer: string, faults: Fault[]): ModelDefinition {
  const members = new MemberReader(value, pointer, faults);
  const nested = members.nested('model');
  const name = members.readName('name', 'Give the name of the model.');
  const version = nested.readName('version', 'Give the version of the model as model.version.');
  checkNotPath(members, 'name', name);
  checkNotPath(nested, 'version', version);
  const own = readOwnVersion(members);
  return toModelDefinition({ members, name, version, parts: { model: nested.unreadMembers() }, own, around: {} });
}

/**
 * Reads the `model` member of a component or a relationship, once name and version are known. `around` is the metadata of a component of the form
 * core.meshery.io/v1alpha1, which describes the model as well.
 */
export function readEmbeddedModel(
  value: JsonObject,
  pointer: string,
  faults: Fault[],
  { name, version, around }: { name: string; version: string; around: JsonObject },
): ModelDefinition {
  const members = new MemberReader(value, pointer, faults);
  const nested = members.nested('model');
  const versioned = nested.readValue('version') === version ? nested : members;
  members.ignore('name', 'version');
  members.checkName('name', name);
  versioned.checkName('version', version);
  checkNotPath(members, 'name', name);
  checkNotPath(versioned, 'version', version);
  const own = versioned === nested ? readOwnVersion(members) : {};
  return toModelDefinition({ members, name, version, parts: { model: nested.unreadMembers() }, own, around });
}

/** Lowercase; an incomplete registrant is identified by the parts it gives, and an empty one is this server. */
export function readRegistrant(members: MemberReader): RegistrantDefinition {
  const kind = members.readText('kind').toLowerCase();
  const name = members.readText('name').toLowerCase();
  const hostname = members.readText('hostname').toLowerCase() || (/\s/.test(name) ? '' : name) || kind;
  members.checkName('hostname', hostname);
  members.checkName('kind', kind);
  return hostname ? { hostname, kind: kind || hostname } : OWN_REGISTRANT;
}

/** `version` of a definition, which is the revision of the definition and not of its subject, unless it is the usual one. */
export function readOwnVersion(members: MemberReader): JsonObject {
  const version = members.readText('version');
  return version === '' || version === DEFINITION_VERSION ? {} : { version };
}

/** `rest` with the remaining members of known objects, so that an export contains both. */
export function mergeParts(rest: JsonObject, parts: JsonObject): JsonObject {
  const filled = Object.entries(parts).filter(([, part]) => Object.keys(asObject(part)).length > 0);
  return { ...rest, ...Object.fromEntries(filled) };
}

interface ModelParts {
  members: MemberReader;
  name: string;
  version: string;
  own: JsonObject;
  parts: JsonObject;
  around: JsonObject;
}

function toModelDefinition({ members, name, version, own, parts, around }: ModelParts): ModelDefinition {
  members.ignore('schemaVersion', 'components', 'relationships', ...COUNT_MEMBERS);
  const category = members.nested('category');
  const registrant = members.nested('registrant');
  const metadata = members.readObject('metadata') ?? {};
  const model = {
    name,
    displayName:
      members.readText('displayName', 'display-name', 'model-display-name') ||
      asText(around['modelDisplayName']) ||
      name,
    version,
    description: members.readText('description'),
    category: category.readText('name'),
    subCategory: members.readText('subCategory', 'sub_category', 'sub-category') || asText(around['subCategory']),
    registrant: readRegistrant(registrant),
    metadata: Object.keys(metadata).length > 0 ? metadata : readAppearance(around),
  };
  category.ignore('id');
  const left = {
    ...parts,
    category: category.unreadMembers(),
    registrant: withoutRecordMembers(asObject(members.readValue('registrant'))),
  };
  return { ...model, rest: mergeParts({ ...members.unreadMembers(), ...own }, left) };
}

/** The registrant as given; the rest is its record in another system. */
function withoutRecordMembers({
  hostname: _h,
  kind: _k,
  id: _i,
  status: _s,
  schemaVersion: _v,
  ...registrant
}: JsonObject): JsonObject {
  const said = Object.entries(registrant).filter(
    ([name, value]) => asText(value) !== '' && !/(?:_id|Id|_at|At)$/.test(name),
  );
  return Object.fromEntries(said);
}

function checkNotPath(members: MemberReader, member: string, text: string): void {
  if (PATH_PATTERN.test(text)) members.addFault(member, 'is a path', 'Choose one without slashes.');
}

/** A component of the older form has the icons of its model, which are often missing in the model itself. */
function readAppearance(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => APPEARANCE_MEMBERS.includes(name)));
}
