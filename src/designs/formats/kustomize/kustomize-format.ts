import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { createDesign } from '../../../formats/design-file/canonical-design.js';
import { FaultList } from '../../../formats/sources/fault-list.js';
import { DEFAULT_FORMAT_LIMITS } from '../../../formats/sources/format-limits.js';
import { createMissingRenderEngines } from '../../../formats/engines/local-render-engines.js';
import { TimeSlicer } from '../../../core/time-slicer.js';
import { designNameOf } from '../design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from '../format.js';
import { isKustomization } from '../kubernetes-resource.js';
import { ManifestReader } from '../manifest-reader.js';
import { nameKustomization } from './kustomization-name.js';
import { KustomizationTree } from './kustomization-tree.js';
import { findChosenKustomizations, findKustomizations } from './kustomizations.js';

const COMPONENT_REMEDY = 'This is a Component: send it with the Kustomization that uses it.';

/** A Kustomization with its bases, rendered by the kustomize program; a single file when it references no others. */
export const kustomizeFormat: Format = {
  sourceType: 'kustomize',
  extensions: ['.tgz', '.tar.gz', '.tar', '.zip', '.yaml', '.yml'],
  description: 'A Kustomization with all that it names, as an archive of its folders',
  available: ({ kustomize }) => kustomize.isAvailable(),
  detect,
  read,
};

async function detect(input: FormatInput): Promise<boolean> {
  if (findChosenKustomizations(input).length > 0) return true;
  if (input.archive) return false;
  const documents = await input.documents();
  return documents.some(({ value }) => isKustomization(value));
}

async function read(input: FormatInput, options: ImportOptions): Promise<ImportedDesign> {
  const faults = new FaultList(options.limits?.faults ?? DEFAULT_FORMAT_LIMITS.faults);
  const warnings: Fault[] = [];
  const paths = input.archive ? findKustomizations(input) : [...input.files.keys()];
  const tree = await KustomizationTree.build(input, paths, faults);
  const root = tree.findRoot(warnings);
  faults.throwIfAny(input.name);
  await tree.check(root);
  faults.throwIfAny(input.name);
  const { kustomize } = options.programs ?? createMissingRenderEngines();
  const text = await kustomize.build(filesFor(input, tree), input.archive ? root : '').catch((error: unknown) => {
    throw tree.isComponent(root) ? withComponentRemedy(error) : error;
  });
  const manifest = new ManifestReader(faults);
  const turns = new TimeSlicer();
  for (const document of await input.parse({ path: `${input.name} as rendered`, bytes: Buffer.from(text) })) {
    for (const item of manifest.readDocument(document)) {
      manifest.addResource(item);
      await turns.yieldToEventLoop();
    }
  }
  if (manifest.components.length === 0) {
    const remedy = tree.isComponent(root) ? COMPONENT_REMEDY : 'Name the files of its resources under "resources".';
    faults.add({ file: input.name, detail: 'renders to no resource at all', remedy });
  }
  faults.throwIfAny(input.name);
  const place = { folder: input.archive ? root : '', bases: tree.basesOf(root), file: designNameOf(input.name) };
  const name = options.name ?? nameKustomization(place);
  const metadata = { kustomize: { root } };
  const design = createDesign({ name, components: manifest.components, metadata });
  return { name, design, sourceType: 'kustomize', warnings: [...warnings, ...manifest.warnings] };
}

/** A Component cannot be rendered alone; its changes are part of the Kustomization that uses it. */
function withComponentRemedy(error: unknown): unknown {
  if (!(error instanceof InvalidRequest) || error.code !== 'VALIDATION_FAILED') return error;
  const errors = error.errors.map((fault) => ({ ...fault, remedy: COMPONENT_REMEDY }));
  return new InvalidRequest(error.message, { errors, remedy: COMPONENT_REMEDY, cause: error });
}

/** The input of the program; a single file gets the name that the program expects. */
function filesFor({ archive }: FormatInput, tree: KustomizationTree): FormatInput['files'] {
  const files = tree.files();
  return archive ? files : new Map([...files.values()].map((file) => ['kustomization.yaml', file]));
}
