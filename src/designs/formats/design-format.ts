import { InvalidRequest } from '../../core/errors/app-error.js';
import { toCanonicalDesign } from '../../formats/design-file/canonical-design.js';
import { findDesignFaults } from '../../formats/design-file/design-check.js';
import { FaultList } from '../../formats/sources/fault-list.js';
import { DEFAULT_FORMAT_LIMITS } from '../../formats/sources/format-limits.js';
import { isObject, type Json } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { designNameOf, findTextFiles } from './design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from './format.js';

/** Recognized by name only, because otherwise every other file of an archive would have to be parsed. */
const DESIGN_FILE_NAME = /(?:^|[/._-])design\.(?:ya?ml|json)$/i;
/** Top-level keys that only a Compose file has. */
const COMPOSE_ONLY_MEMBERS = ['volumes', 'networks', 'secrets', 'configs', 'include'];

/** Designs in their own form, canonical or older (`services`), as YAML or JSON regardless of the name; also the design file of an exported archive. */
export const designFormat: Format = {
  sourceType: 'design',
  extensions: ['.yaml', '.yml', '.json', '.tar', '.tar.gz', '.tgz', '.zip'],
  description: 'A design file, canonical or with services, as YAML or JSON',
  available: () => true,

  async detect(input: FormatInput): Promise<boolean> {
    const path = findDesignFile(input);
    if (path === undefined) return false;
    const documents = await input.documents(path);
    return documents.some(({ value }) => looksLikeDesign(value));
  },

  async read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
    const [document, ...more] = await input.documents(findDesignFile(input));
    const faults = new FaultList(options.limits?.faults ?? DEFAULT_FORMAT_LIMITS.faults);
    if (!document)
      throw new InvalidRequest(`${input.name} has no design in it`, {
        errors: [{ file: input.name, detail: 'is empty' }],
      });
    for (const extra of more) faults.add(extra.faultAt('', 'a design is one document', 'Send each design on its own.'));
    for (const [pointer, tag] of Object.entries(document.data.tags)) {
      faults.add(document.faultAt(pointer, `the tag ${tag} is not accepted in a design`, 'Remove the tag.'));
    }
    if (!document.object) faults.add(document.faultAt('', 'a design is an object', 'Start from an exported design.'));
    else faults.add(...locateFaults(document, findDesignFaults(document.object)));
    faults.throwIfAny(input.name);
    const design = toCanonicalDesign(document.object ?? {}, options.name ?? designNameOf(input.name));
    if (options.name !== undefined) design.name = options.name;
    return { name: design.name, design, sourceType: 'design', warnings: [] };
  },
};

/** Whether a value is meant as a design: by its schema, by components, or by services that have a type and not an image. */
export function looksLikeDesign(value: Json): boolean {
  if (!isObject(value)) return false;
  const { schemaVersion, components, services, apiVersion, name, version } = value;
  if (typeof schemaVersion === 'string' && schemaVersion !== '') return schemaVersion.startsWith('designs.meshery.io/');
  if (apiVersion !== undefined) return false;
  if (Array.isArray(components)) return true;
  if (!isObject(services)) return false;
  const list = Object.values(services);
  if (list.length === 0)
    return name !== undefined && version !== undefined && !COMPOSE_ONLY_MEMBERS.some((key) => key in value);
  return list.some((service) => isObject(service) && typeof service['type'] === 'string' && !('image' in service));
}

function findDesignFile(input: FormatInput): string | undefined {
  const paths = findTextFiles(input);
  if (!input.archive || input.files.has(input.chosenPath)) return paths[0];
  const designs = paths.filter((path) => DESIGN_FILE_NAME.test(path));
  return designs.length === 1 ? designs[0] : undefined;
}

function locateFaults(
  document: LocatedDocument,
  faults: readonly { pointer?: string; detail: string; remedy?: string }[],
) {
  return faults.map(({ pointer, detail, remedy }) => document.faultAt(pointer ?? '', detail, remedy));
}
