import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { newDesign } from '../../formats/design-canonical.js';
import { ComponentSeries, identityOf, isDeployable, resourceOf } from '../../formats/design-component.js';
import { type DesignComponent, type DesignFile } from '../../formats/design-file.js';
import { FaultList } from '../../formats/fault-list.js';
import { defaultLimits } from '../../formats/limits.js';
import { type JsonObject, type LocatedDocument, objectOf, textOf } from '../../formats/located.js';
import { Turns } from '../../formats/turns.js';
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
    const manifest = new Manifest(new FaultList(options.limits?.faults ?? defaultLimits.faults));
    const { faults, warnings, components } = manifest;
    const turns = new Turns();
    for (const path of textFiles(input)) {
      const documents = await input.documents(path).catch((error: unknown) => collect(error, faults));
      if (input.archive && documents.length > 0 && !documents.some(({ value }) => claimsResource(value))) {
        warnings.push({ file: path, detail: 'holds no resource and is left out' });
        continue;
      }
      for (const document of documents) {
        for (const item of manifest.open(document)) {
          manifest.add(item);
          await turns.take();
        }
      }
    }
    if (components.length === 0 && faults.empty) faults.add({ file: input.name, detail: 'has no resources in it' });
    faults.raise(input.name);
    const name = options.name ?? nameOfFile(input.name);
    return { name, design: newDesign({ name, components }), sourceType: 'kubernetes', warnings };
  },
};

/** What has been read of a manifest so far. */
class Manifest {
  readonly components: DesignComponent[] = [];
  readonly warnings: Fault[] = [];
  private readonly series = new ComponentSeries();
  private readonly first = new Map<string, LocatedResource>();

  constructor(readonly faults: FaultList) {}

  open(document: LocatedDocument): readonly LocatedResource[] {
    for (const [pointer, tag] of Object.entries(document.data.tags)) {
      this.faults.add(
        located(document, pointer, `has the tag ${tag}, which a manifest cannot have`, 'Remove the tag.'),
      );
    }
    const { resources, faults } = resourcesOf(document);
    for (const fault of faults) this.faults.add(fault);
    return resources;
  }

  add(item: LocatedResource): void {
    const faults = faultsOfResource(item);
    this.faults.add(...faults);
    for (const warning of warningsOfResource(item)) this.warnings.push(warning);
    this.components.push(this.series.add(item.resource));
    if (faults.length === 0) this.mustBeNew(item);
  }

  private mustBeNew({ document, pointer, resource }: LocatedResource): void {
    const name = textOf(objectOf(resource['metadata'])['name']);
    if (name === '') return;
    const identity = identityOf(resource);
    const before = this.first.get(identity);
    if (!before) {
      this.first.set(identity, { document, pointer, resource });
      return;
    }
    const { line } = before.document.position(before.pointer);
    const place = `${before.document.file === document.file ? '' : `${before.document.file}, `}line ${line}`;
    const detail = `is ${textOf(resource['kind'])} ${name}, which is given already at ${place}`;
    this.faults.add(located(document, pointer, detail, 'Remove one of the two, or give it another name.'));
  }
}

/** The resources that a design stands for, in its order, and the components that stand for none. Written out with toYaml or DocumentReader.write. */
export function manifestOf(design: DesignFile): { resources: JsonObject[]; left: DesignComponent[] } {
  const deployable = design.components.filter(isDeployable);
  return {
    resources: deployable.map(resourceOf),
    left: design.components.filter((component) => !isDeployable(component)),
  };
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
