import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import { type DocumentReader } from '../../formats/documents/document-reader.js';
import { asObject, asText, isObject, type Json } from '../../core/json/json.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { listContents, listSources } from './archive-listing.js';
import { findClosestName } from '../../core/closest-name.js';
import { composeFormat } from './compose/compose-format.js';
import { designFormat } from './design-format.js';
import { DesignInput, findTextFiles } from './design-input.js';
import { type Format, type FormatInput, type ImportedDesign, type ImportOptions } from './format.js';
import { helmFormat } from './helm/helm-format.js';
import { kubernetesFormat } from './kubernetes-format.js';
import { kustomizeFormat } from './kustomize/kustomize-format.js';
import { type SourceType } from './source-type.js';
import { countOf } from '../../core/errors/wording.js';

/** All formats in the order of detection: design, Kustomization, Kubernetes, Helm, Compose. */
export const formats: readonly Format[] = [designFormat, kustomizeFormat, kubernetesFormat, helmFormat, composeFormat];

/**
 * Detects the format of a file by its content, and reads it.
 * Throws InvalidRequest with located faults, or with a description of the content and the accepted formats when it is of none of them.
 */
export async function importDesign(
  file: SourceFile,
  reader: DocumentReader,
  options: ImportOptions = {},
): Promise<ImportedDesign> {
  return readWithFormats(formats, await DesignInput.fromFile(file, reader, options.path), options);
}

/** As importDesign, for callers who name the format: content of other formats is refused. */
export async function importDesignAs(
  types: readonly SourceType[],
  file: SourceFile,
  reader: DocumentReader,
  options: ImportOptions = {},
): Promise<ImportedDesign> {
  const wanted = formats.filter(({ sourceType }) => types.includes(sourceType));
  return readWithFormats(wanted, await DesignInput.fromFile(file, reader, options.path), options);
}

async function readWithFormats(
  wanted: readonly Format[],
  input: FormatInput,
  options: ImportOptions,
): Promise<ImportedDesign> {
  for (const format of wanted) {
    if (await format.detect(input)) return describeSource(input, await format.read(input, options));
  }
  throw await unknownFormatError(input, wanted);
}

/** Records in the design the part of the archive it was made from, and warns about other sources in the archive. */
function describeSource(input: FormatInput, imported: ImportedDesign): ImportedDesign {
  const { chosenPath: path } = input;
  if (path !== '') imported.design.metadata = { ...imported.design.metadata, source: { path } };
  const { sourceType, warnings } = imported;
  const others = listSources(input.archive ? findChosenPaths(input) : [], sourceType);
  if (others === '' || sourceType === 'kubernetes') return imported;
  const remedy = 'Choose with the fields type and path.';
  const warning = { file: input.name, detail: `was read as ${sourceType}; it also holds ${others}`, remedy };
  return { ...imported, warnings: [...warnings, warning] };
}

const findChosenPaths = (input: FormatInput): string[] =>
  [...input.files.keys()].filter((path) => input.isChosen(path));

/** The part of its archive that a design was made from; undefined for the whole archive. */
export const readSourcePath = ({ metadata }: Pick<DesignFile, 'metadata'>): string | undefined =>
  asText(asObject(metadata['source'])['path']) || undefined;

async function unknownFormatError(input: FormatInput, wanted: readonly Format[]): Promise<InvalidRequest> {
  const { seen, remedy } = await describeContent(input, listAccepted(wanted));
  const fault: Fault = { file: input.name, line: 1, column: 1, detail: seen, remedy };
  if (input.archive) {
    delete fault.line;
    delete fault.column;
  }
  return new InvalidRequest(`${input.name}: ${seen}`, { code: 'UNKNOWN_FORMAT', errors: [fault], remedy });
}

async function describeContent(input: FormatInput, otherwise: string): Promise<{ seen: string; remedy: string }> {
  if (input.archive) {
    const chosen = findChosenPaths(input);
    const seen = `holds ${countOf(chosen.length, 'file')}, none of a known format: ${listContents(chosen)}`;
    return { seen, remedy: otherwise };
  }
  const [path] = findTextFiles(input);
  const documents = await input.documents(path, 'core');
  const [first] = documents;
  if (!first) return { seen: 'holds nothing but comments or empty documents', remedy: otherwise };
  return { seen: `is ${describeValue(first.value)}`, remedy: hint(first.value) ?? otherwise };
}

function describeValue(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (!isObject(value)) return `one ${value === null ? 'empty' : typeof value} value`;
  const keys = Object.keys(value);
  if (keys.length === 0) return 'an empty object';
  const shown = keys.slice(0, 6).map((key) => (key.length > 40 ? `${key.slice(0, 40)}…` : key));
  return `an object with ${shown.join(', ')}${keys.length > shown.length ? ', …' : ''}, which no format here begins with`;
}

/** Files that are often sent by mistake, or that need a format that is unavailable. */
function hint(value: Json): string | undefined {
  if (Array.isArray(value)) return 'Put the resources below "items" of a "kind: List", or separate them by "---".';
  if (!isObject(value)) return undefined;
  if (value['apiVersion'] !== undefined && value['name'] !== undefined) return 'Send the whole chart as .tgz.';
  if (Object.keys(value).some((key) => findClosestName(key, ['services']) !== undefined && key !== 'services'))
    return 'If it is a Compose file, name its services below "services".';
  if (value['schemaVersion'] !== undefined) return 'Models and components are registered, not imported as designs.';
  return undefined;
}

function listAccepted(wanted: readonly Format[]): string {
  return `Send one of: ${wanted.map(({ description }) => description).join('; ')}.`;
}
