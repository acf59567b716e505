import { InvalidRequest } from '../../core/errors/app-error.js';
import { findChartFolders, isWithinFolders } from '../../formats/helm/chart-folders.js';
import { createDesign } from '../../formats/design-file/canonical-design.js';
import { isDeployable, toResource } from '../../formats/design-file/design-component.js';
import { type DesignComponent, type DesignFile } from '../../formats/design-file/design-file.js';
import { FaultList } from '../../formats/sources/fault-list.js';
import { DEFAULT_FORMAT_LIMITS } from '../../formats/sources/format-limits.js';
import type { JsonObject } from '../../core/json/json.js';
import type { LocatedDocument } from '../../formats/documents/located-document.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { designNameOf, findTextFiles } from './design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from './format.js';
import { type LocatedResource, looksLikeResource } from './kubernetes-resource.js';
import { findChosenKustomizations } from './kustomize/kustomizations.js';
import { ManifestReader } from './manifest-reader.js';

/** Kubernetes manifests: YAML or JSON, many documents, Lists, or an archive of such files. */
export const kubernetesFormat: Format = {
  sourceType: 'kubernetes',
  extensions: ['.yaml', '.yml', '.json', '.tar', '.tar.gz', '.tgz', '.zip'],
  description: 'Kubernetes manifests: one file of many documents and Lists, or an archive of files',
  available: () => true,

  async detect(input: FormatInput): Promise<boolean> {
    if (input.archive && findChosenKustomizations(input).length > 0) return false;
    for (const path of findManifestFiles(input)) {
      const documents = input.archive
        ? await input.documents(path).catch(ignoreSyntaxFaults)
        : await input.documents(path);
      if (documents.some(({ value }) => looksLikeResource(value))) return true;
    }
    return false;
  },

  async read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
    const manifest = new ManifestReader(new FaultList(options.limits?.faults ?? DEFAULT_FORMAT_LIMITS.faults));
    const { faults, warnings, components } = manifest;
    for await (const item of readManifests(input, manifest)) manifest.addResource(item);
    for (const folder of findChosenChartFolders(input)) {
      warnings.push({ file: folder, detail: 'is a chart and is left out', remedy: 'Import it on its own.' });
    }
    if (components.length === 0 && faults.isEmpty) faults.add({ file: input.name, detail: 'has no resources in it' });
    faults.throwIfAny(input.name);
    const name = options.name ?? designNameOf(input.name);
    return { name, design: createDesign({ name, components }), sourceType: 'kubernetes', warnings };
  },
};

/** The resources of all manifests, in the order of the components of the design. */
export async function* readManifests(input: FormatInput, manifest: ManifestReader): AsyncGenerator<LocatedResource> {
  const { faults, warnings } = manifest;
  const turns = new TimeSlicer();
  for (const path of findManifestFiles(input)) {
    const documents = await input.documents(path).catch((error: unknown) => faults.addFrom(error));
    if (input.archive && documents.length > 0 && !documents.some(({ value }) => looksLikeResource(value))) {
      warnings.push({ file: path, detail: 'holds no resource and is left out' });
      continue;
    }
    for (const document of documents)
      for (const item of manifest.readDocument(document)) {
        yield item;
        await turns.yieldToEventLoop();
      }
  }
}

/** The files that may be manifests; those of charts in an archive are templates. */
export function findManifestFiles(input: FormatInput): string[] {
  const charts = new Set(findChosenChartFolders(input));
  return findTextFiles(input).filter((path) => !isWithinFolders(path, charts));
}

function findChosenChartFolders(input: FormatInput): string[] {
  return input.archive ? findChartFolders(input.files.keys()).filter((folder) => input.isChosen(folder)) : [];
}

/** The resources of a design in its order, and the components that have none. Serialize with toYaml or DocumentReader.write. */
export function toManifest(design: DesignFile): { resources: JsonObject[]; left: DesignComponent[] } {
  const deployable = design.components.filter(isDeployable);
  return {
    resources: deployable.map(toResource),
    left: design.components.filter((component) => !isDeployable(component)),
  };
}

/** A file of an archive that does not parse does not identify the format of the archive. */
function ignoreSyntaxFaults(error: unknown): LocatedDocument[] {
  if (error instanceof InvalidRequest) return [];
  throw error;
}
