import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { newDesign } from '../../formats/design-canonical.js';
import { componentsOf, identityOf, isDeployable, resourceOf } from '../../formats/design-component.js';
import { type DesignComponent, type DesignFile } from '../../formats/design-file.js';
import { FaultList } from '../../formats/fault-list.js';
import { defaultLimits } from '../../formats/limits.js';
import { type JsonObject, type LocatedDocument, objectOf, textOf } from '../../formats/located.js';
import { nameOfFile, textFiles } from './design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ReadOptions } from './format.js';
import {
  claimsResource,
  faultsOfResource,
  located,
  type LocatedResource,
  resourcesOf,
  warningsOfResource,
} from './kubernetes-resource.js';

/** Files by which an archive says that it is for another program; its YAML may be templates and patches. */
const OTHER_ARCHIVE = /^(?:[^/]+\/)?(?:Chart\.yaml|kustomization\.ya?ml|Kustomization)$/;

/** Kubernetes manifests: YAML or JSON, many documents, Lists, or an archive of such files. */
export const kubernetesFormat: Format = {
  sourceType: 'kubernetes',
  extensions: ['.yaml', '.yml', '.json', '.tar', '.tar.gz', '.tgz', '.zip'],
  description: 'Kubernetes manifests: one file of many documents and Lists, or an archive of files',
  available: () => true,

  async detect(input: FormatInput): Promise<boolean> {
    if ([...input.files.keys()].some((path) => OTHER_ARCHIVE.test(path))) return false;
    for (const path of textFiles(input)) {
      const documents = input.archive ? await input.documents(path).catch(sound) : await input.documents(path);
      if (documents.some(({ value }) => claimsResource(value))) return true;
    }
    return false;
  },

  async read(input: FormatInput, options: ReadOptions): Promise<ImportedDesign> {
    const faults = new FaultList(options.limits?.faults ?? defaultLimits.faults);
    const found: LocatedResource[] = [];
    const warnings: Fault[] = [];
    for (const path of textFiles(input)) {
      const documents = await input.documents(path).catch((error: unknown) => collect(error, faults));
      if (input.archive && documents.length > 0 && !documents.some(({ value }) => claimsResource(value))) {
        warnings.push({ file: path, detail: 'holds no resource and is left out' });
        continue;
      }
      for (const document of documents) {
        faults.add(...tagFaults(document));
        const { resources, faults: wrong } = resourcesOf(document);
        faults.add(...wrong, ...resources.flatMap(faultsOfResource));
        found.push(...resources);
      }
    }
    faults.add(...duplicates(found));
    if (found.length === 0 && faults.empty) faults.add({ file: input.name, detail: 'has no resources in it' });
    faults.raise(input.name);
    const name = options.name ?? nameOfFile(input.name);
    const components = componentsOf(found.map(({ resource }) => resource));
    return {
      name,
      design: newDesign({ name, components }),
      sourceType: 'kubernetes',
      warnings: [...warnings, ...found.flatMap(warningsOfResource)],
    };
  },
};

/** The resources that a design stands for, in its order, and the components that stand for none. Written out with toYaml or DocumentReader.write. */
export function manifestOf(design: DesignFile): { resources: JsonObject[]; left: DesignComponent[] } {
  const deployable = design.components.filter(isDeployable);
  return {
    resources: deployable.map(resourceOf),
    left: design.components.filter((component) => !isDeployable(component)),
  };
}

function duplicates(found: readonly LocatedResource[]) {
  const first = new Map<string, LocatedResource>();
  return found.flatMap((item) => {
    const identity = identityOf(item.resource);
    const before = first.get(identity);
    if (!before) first.set(identity, item);
    const named = textOf(objectOf(item.resource['metadata'])['name']) !== '';
    if (!before || !named || faultsOfResource(item).length > 0) return [];
    const { line } = before.document.position(before.pointer);
    const place =
      before.document.file === item.document.file ? `line ${line}` : `${before.document.file}, line ${line}`;
    const { kind, metadata } = item.resource;
    const what = `${textOf(kind)} ${textOf(objectOf(metadata)['name'])}`;
    return [
      located(item.document, item.pointer, `is ${what}, which is given already at ${place}`, 'Remove one of the two, or give it another name.'), // prettier-ignore
    ];
  });
}

function tagFaults(document: LocatedDocument) {
  return Object.entries(document.data.tags).map(([pointer, tag]) =>
    located(document, pointer, `has the tag ${tag}, which a manifest cannot have`, 'Remove the tag.'),
  );
}

function collect(error: unknown, faults: FaultList): LocatedDocument[] {
  if (!(error instanceof InvalidRequest)) throw error;
  faults.add(...error.errors);
  return [];
}

/** A file of an archive that does not parse tells nothing about what the archive is. */
function sound(error: unknown): LocatedDocument[] {
  if (error instanceof InvalidRequest) return [];
  throw error;
}
