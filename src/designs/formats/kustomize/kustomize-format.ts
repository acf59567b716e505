import { type Fault, InvalidRequest } from '../../../core/errors/app-error.js';
import { newDesign } from '../../../formats/design-canonical.js';
import { FaultList } from '../../../formats/fault-list.js';
import { defaultLimits } from '../../../formats/limits.js';
import { noPrograms } from '../../../formats/programs/programs.js';
import { Turns } from '../../../core/turns.js';
import { nameOfFile } from '../design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ReadOptions } from '../format.js';
import { isKustomization } from '../kubernetes-resource.js';
import { Manifest } from '../manifest.js';
import { KustomizationTree } from './kustomization-tree.js';
import { kustomizationPaths } from './kustomizations.js';

const TOGETHER = 'This is a Component: send it with the Kustomization that uses it.';

/** A Kustomization with its bases, rendered by the kustomize program; one file when it names no others. */
export const kustomizeFormat: Format = {
  sourceType: 'kustomize',
  extensions: ['.tgz', '.tar.gz', '.tar', '.zip', '.yaml', '.yml'],
  description: 'A Kustomization with all that it names, as an archive of its folders',
  available: ({ kustomize }) => kustomize.available(),
  detect,
  read,
};

async function detect(input: FormatInput): Promise<boolean> {
  if (kustomizationPaths(input).length > 0) return true;
  if (input.archive) return false;
  const documents = await input.documents();
  return documents.some(({ value }) => isKustomization(value));
}

async function read(input: FormatInput, options: ReadOptions): Promise<ImportedDesign> {
  const faults = new FaultList(options.limits?.faults ?? defaultLimits.faults);
  const warnings: Fault[] = [];
  const paths = input.archive ? kustomizationPaths(input) : [...input.files.keys()];
  const tree = await KustomizationTree.of(input, paths, faults);
  const root = tree.root(warnings);
  faults.raise(input.name);
  await tree.check(root);
  faults.raise(input.name);
  const { kustomize } = options.programs ?? noPrograms();
  const text = await kustomize.build(filesFor(input, tree), input.archive ? root : '').catch((error: unknown) => {
    throw tree.isComponent(root) ? ofComponent(error) : error;
  });
  const manifest = new Manifest(faults);
  const turns = new Turns();
  for (const document of await input.parse({ path: `${input.name} as rendered`, bytes: Buffer.from(text) })) {
    for (const item of manifest.open(document)) {
      manifest.add(item);
      await turns.take();
    }
  }
  if (manifest.components.length === 0) {
    const remedy = tree.isComponent(root) ? TOGETHER : 'Name the files of its resources under "resources".';
    faults.add({ file: input.name, detail: 'renders to no resource at all', remedy });
  }
  faults.raise(input.name);
  const name = options.name ?? nameOfFile(input.archive && root !== '' ? root : input.name);
  const metadata = { kustomize: { root } };
  const design = newDesign({ name, components: manifest.components, metadata });
  return { name, design, sourceType: 'kustomize', warnings: [...warnings, ...manifest.warnings] };
}

/** What a Component changes is in the Kustomization that uses it. */
function ofComponent(error: unknown): unknown {
  if (!(error instanceof InvalidRequest) || error.code !== 'VALIDATION_FAILED') return error;
  const errors = error.errors.map((fault) => ({ ...fault, remedy: TOGETHER }));
  return new InvalidRequest(error.message, { errors, remedy: TOGETHER, cause: error });
}

/** A lone file gets the name by which the program knows it. */
function filesFor({ archive }: FormatInput, tree: KustomizationTree): FormatInput['files'] {
  const files = tree.files();
  return archive ? files : new Map([...files.values()].map((file) => ['kustomization.yaml', file]));
}
