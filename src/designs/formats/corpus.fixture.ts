import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { partOf } from '../../../test/support/long-run.js';
import { AppError } from '../../core/errors/app-error.js';
import { type DesignFile } from '../../formats/design-file/design-file.js';
import { componentsToServices } from '../../formats/design-file/design-services.js';
import { parseDocuments } from '../../formats/documents/parse-documents.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { type SourceFile } from '../../formats/sources/source-file.js';
import { toYaml } from '../../formats/documents/yaml-writer.js';
import { type ImportedDesign, type ImportOptions } from './format.js';
import { toManifest } from './kubernetes-format.js';

/** The outcome of one input of the corpus: imported, refused for a known reason, not of this format, or wrong. */
export interface ImportOutcome {
  path: string;
  outcome: 'imported' | 'refused' | 'foreign' | 'wrong';
  /** The text of a refusal, or the difference. */
  why: string;
  imported?: ImportedDesign;
  /** Whether its export in its own format could be imported again with equal meaning. */
  again?: boolean;
}

/** Imports a file, and returns the refusal instead of throwing it. */
export type Attempt = (file: SourceFile, options?: ImportOptions) => Promise<ImportedDesign | AppError>;

/** Returns an AppError as a value. */
export function refusal(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}

/** Manifests that cannot be applied, with the reason; any other refusal is a defect. */
const REFUSED = [
  ['istio__istio/bookinfo/demo-profile-no-gateways.yaml', 'metadata'],
  ['istio__istio/open-telemetry/loki/iop.yaml', 'metadata'],
  ['tas/kind-cluster.yaml', 'metadata'],
  ['multikueue/dev/manager-kind-config.yaml', 'metadata'],
  ['scheduler-policy/scheduler-policy-config.json', 'metadata'],
  ['scheduler-policy/scheduler-policy-config-with-extender.json', 'metadata'],
] as const;

/** Files below a folder with a matching name, sorted. */
export function filesBelow(folder: string, pattern: RegExp): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** The content of a manifest, read independently of the format under test. */
export function resourcesIn(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'].flatMap(resourcesIn) : [value];
}

/** The manifests except the Kustomizations, which are checked separately. */
export async function* importManifests(corpus: string, attempt: Attempt): AsyncGenerator<ImportOutcome> {
  for (const file of partOf(filesBelow(join(corpus, 'kubernetes'), /(?<!kustomization)\.(?:ya?ml|json)$/))) {
    const path = relative(corpus, file);
    const bytes = readFileSync(file);
    const result = await attempt({ path, bytes });
    if (result instanceof AppError) {
      const known = REFUSED.some(([end, why]) => path.includes(end) && result.message.includes(why));
      yield { path, outcome: known ? 'refused' : 'wrong', why: result.message };
      continue;
    }
    const documents = parseDocuments({ path, bytes });
    const { resources, left } = toManifest(result.design);
    const written = parseDocuments({ path, bytes: new TextEncoder().encode(toYaml(resources)) });
    const again = same(
      written.map(({ value }) => value),
      documents.flatMap(({ value }) => resourcesIn(value)),
    );
    const whole = result.sourceType === 'kubernetes' && left.length === 0;
    yield { path, outcome: whole ? 'imported' : 'wrong', why: whole ? '' : 'is not taken whole', imported: result, again }; // prettier-ignore
  }
}

/** Designs of the catalog, written and read again as YAML and as JSON. */
export async function* importDesigns(corpus: string, attempt: Attempt): AsyncGenerator<ImportOutcome> {
  for (const file of partOf(filesBelow(join(corpus, 'meshery/designs'), /^design\.yml$/))) {
    const path = relative(corpus, file);
    const bytes = readFileSync(file);
    const result = await attempt({ path, bytes });
    if (result instanceof AppError) {
      yield { path, outcome: 'wrong', why: result.message };
      continue;
    }
    const lost = lostOf(parseDocuments({ path, bytes })[0]?.object ?? {}, result.design);
    let again = true;
    for (const text of [toYaml([result.design]), JSON.stringify(result.design)]) {
      const second = await attempt({ path: 'again.yml', bytes: new TextEncoder().encode(text) });
      again &&= !(second instanceof AppError) && same(second.design, result.design);
    }
    const sound = result.sourceType === 'design' && lost === '';
    yield { path, outcome: sound ? 'imported' : 'wrong', why: sound ? '' : `loses ${lost}`, imported: result, again };
  }
}

/** The parts of an exported design that are missing after the import; empty when none is. */
function lostOf({ services, ...rest }: JsonObject, design: DesignFile): string {
  const ids = design.components.map(({ id }) => id);
  if (new Set(ids).size !== ids.length) return 'ids of components';
  if (isObject(services)) {
    const read = Object.keys(componentsToServices(design.components)).sort();
    if (!same(read, Object.keys(services).sort())) return 'services';
  }
  return Object.keys(rest).find((key) => !holds(design[key] as Json | undefined, rest[key] as Json)) ?? '';
}

/** Whether a value contains everything of another one. */
function holds(value: Json | undefined, part: Json): boolean {
  if (Array.isArray(part))
    return Array.isArray(value) && value.length === part.length && part.every((item, index) => holds(value[index], item)); // prettier-ignore
  // Field names in display form are spelled plainly.
  if (isObject(part))
    return (
      isObject(value) &&
      Object.entries(part).every(([key, member]) => holds(value[key] ?? value[key.replaceAll(' ', '')], member))
    );
  return value === part;
}

/** Whether two values are the same data, regardless of key order. */
export function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

/** Counts of outcomes, and the wrong ones. */
export class Score {
  readonly counts = { imported: 0, refused: 0, foreign: 0, wrong: 0 };
  readonly wrong: string[] = [];
  /** For imports that were exported again: how many round-tripped, and the differences. */
  readonly trips = { equal: 0, different: [] as string[] };
  resources = 0;

  add({ path, outcome, why, imported, again }: ImportOutcome): void {
    this.counts[outcome] += 1;
    if (outcome === 'wrong') this.wrong.push(`${path}: ${why}`);
    this.resources += imported?.design.components.length ?? 0;
    if (again === true) this.trips.equal += 1;
    if (again === false) this.trips.different.push(path);
  }

  static async of(outcomes: AsyncIterable<ImportOutcome>): Promise<Score> {
    const score = new Score();
    for await (const each of outcomes) score.add(each);
    return score;
  }
}
