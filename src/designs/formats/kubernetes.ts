import { InvalidRequest } from '../../core/errors/app-error.js';
import { chartFolders, isWithin } from '../../formats/charts/chart-folders.js';
import { newDesign } from '../../formats/design-canonical.js';
import { isDeployable, resourceOf } from '../../formats/design-component.js';
import { type DesignComponent, type DesignFile } from '../../formats/design-file.js';
import { FaultList } from '../../formats/fault-list.js';
import { defaultLimits } from '../../formats/limits.js';
import { type JsonObject, type LocatedDocument } from '../../formats/located.js';
import { Turns } from '../../core/turns.js';
import { nameOfFile, textFiles } from './design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ReadOptions } from './format.js';
import { claimsResource } from './kubernetes-resource.js';
import { kustomizationPaths } from './kustomize/kustomizations.js';
import { Manifest } from './manifest.js';

/** Kubernetes manifests: YAML or JSON, many documents, Lists, or an archive of such files. */
export const kubernetesFormat: Format = {
  sourceType: 'kubernetes',
  extensions: ['.yaml', '.yml', '.json', '.tar', '.tar.gz', '.tgz', '.zip'],
  description: 'Kubernetes manifests: one file of many documents and Lists, or an archive of files',
  available: () => true,

  async detect(input: FormatInput): Promise<boolean> {
    if (input.archive && kustomizationPaths(input).length > 0) return false;
    for (const path of manifestFiles(input)) {
      const documents = input.archive ? await input.documents(path).catch(sound) : await input.documents(path);
      if (documents.some(({ value }) => claimsResource(value))) return true;
    }
    return false;
  },

  async read(input: FormatInput, options: ReadOptions): Promise<ImportedDesign> {
    const manifest = new Manifest(new FaultList(options.limits?.faults ?? defaultLimits.faults));
    const { faults, warnings, components } = manifest;
    const turns = new Turns();
    for (const path of manifestFiles(input)) {
      const documents = await input.documents(path).catch((error: unknown) => faults.collect(error));
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
    for (const folder of input.archive ? chartFolders(input.files.keys()) : []) {
      warnings.push({ file: folder, detail: 'is a chart and is left out', remedy: 'Import it on its own.' });
    }
    if (components.length === 0 && faults.empty) faults.add({ file: input.name, detail: 'has no resources in it' });
    faults.raise(input.name);
    const name = options.name ?? nameOfFile(input.name);
    return { name, design: newDesign({ name, components }), sourceType: 'kubernetes', warnings };
  },
};

/** The files that may be manifests; those of charts in an archive are templates. */
export function manifestFiles(input: FormatInput): string[] {
  const charts = new Set(input.archive ? chartFolders(input.files.keys()) : []);
  return textFiles(input).filter((path) => !isWithin(path, charts));
}

/** The resources that a design stands for, in its order, and the components that stand for none. Written out with toYaml or DocumentReader.write. */
export function manifestOf(design: DesignFile): { resources: JsonObject[]; left: DesignComponent[] } {
  const deployable = design.components.filter(isDeployable);
  return {
    resources: deployable.map(resourceOf),
    left: design.components.filter((component) => !isDeployable(component)),
  };
}

/** A file of an archive that does not parse tells nothing about what the archive is. */
function sound(error: unknown): LocatedDocument[] {
  if (error instanceof InvalidRequest) return [];
  throw error;
}
