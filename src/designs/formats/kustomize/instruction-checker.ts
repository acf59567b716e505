import { stringifyExact } from '../../../core/json/large-integers.js';
import { posix } from 'node:path';
import { parentFolder, isInFolder } from '../../../formats/helm/chart-folders.js';
import { type FaultList } from '../../../formats/sources/fault-list.js';
import { isObject, type Json, asObject, asText } from '../../../core/json/json.js';
import type { LocatedDocument } from '../../../formats/documents/located-document.js';
import { parsePointer } from '../../../core/json/json-pointer.js';
import { type SourceFile } from '../../../formats/sources/source-file.js';
import { type FormatInput } from '../format.js';
import { BUILTIN_FIELDS, type AllowedFields, CHART_FIELDS, KUSTOMIZATION_FIELDS } from './allowed-fields.js';
import { isRemote, type InstructionReference, ReferenceCollector, CHART_REMEDY } from './reference-collector.js';

const ARCHIVE_REMEDY = 'Send the folder of the Kustomization and everything that it names as one archive.';
const FUNCTION = /^config\.(?:kubernetes|k8s)\.io\/function$/;

/** The location of instructions: the folder that their paths start from, and how their faults are located. */
interface InstructionOrigin {
  folder: string;
  fault: (pointer: string, detail: string, remedy: string) => void;
}

/**
 * Validates the instructions of an import against the allowed fields and builtins. The program receives only the files that they
 * reference, and the instructions as parsed here, so that it cannot parse them differently.
 */
export class InstructionChecker {
  readonly accepted = new Map<string, SourceFile>();
  private readonly folders: ReadonlySet<string>;

  constructor(
    private readonly input: FormatInput,
    private readonly faults: FaultList,
    private readonly isKustomization: (folder: string) => boolean,
  ) {
    this.folders = new Set([...input.files.keys()].map(parentFolder));
  }

  /** Checks one Kustomization and everything that it references. @returns the folders of its bases */
  async checkKustomization(path: string, document: LocatedDocument): Promise<string[]> {
    const origin = {
      folder: parentFolder(path),
      fault: (...fault: [string, string, string]) => this.faults.add(document.faultAt(...fault)),
    };
    const bases: string[] = [];
    const understood = await this.checkInstructions(
      document.value,
      KUSTOMIZATION_FIELDS,
      'a Kustomization',
      origin,
      bases,
    );
    this.accept(path, stringifyExact(understood));
    return bases;
  }

  private async checkInstructions(
    value: Json,
    fields: AllowedFields,
    what: string,
    origin: InstructionOrigin,
    bases: string[] = [],
  ): Promise<Json> {
    const { references, refusals } = new ReferenceCollector(value, fields, what);
    for (const { pointer, detail, remedy } of refusals) origin.fault(pointer, detail, remedy);
    const understood = structuredClone(value);
    for (const reference of references) {
      const content = await this.content(reference, origin);
      if (content !== undefined) replace(understood, reference.pointer, content);
      else bases.push(...(await this.file(reference, origin)));
    }
    return understood;
  }

  /** Inline content instead of a path, as JSON, which the program cannot misinterpret; undefined for a path. */
  private async content(
    { text, pointer, kind }: InstructionReference,
    { folder, fault }: InstructionOrigin,
  ): Promise<string | undefined> {
    if (kind !== 'patch' && kind !== 'plugin') return undefined;
    const documents = await this.input.parse({ path: this.input.name, bytes: Buffer.from(text) }).catch(() => []);
    if (documents.length === 0 || !documents.every(({ value }) => isObject(value))) return undefined;
    const origin = { folder, fault: (_: string, detail: string, remedy: string) => fault(pointer, detail, remedy) };
    return kind === 'patch' ? joined(documents.map(({ value }) => value)) : this.plugins(documents, () => origin);
  }

  /** Checks the file or folder of a path. @returns the folder of the Kustomization, if it is one */
  private async file({ text, pointer, kind }: InstructionReference, origin: InstructionOrigin): Promise<string[]> {
    const fault = (detail: string, remedy: string): void =>
      origin.fault(pointer, `${text.slice(0, 200)} ${detail}`, remedy);
    const found = posix.join(origin.folder, text).replace(/\/$/, '');
    const folder = found === '.' ? '' : found;
    const file = this.input.files.get(found);
    if (isRemote(text)) {
      fault('is remote, and nothing is fetched', 'Put a copy of it into the archive, and name that.');
    } else if (text.startsWith('/') || folder.startsWith('..')) {
      fault('lies outside of the import', ARCHIVE_REMEDY);
    } else if (kind === 'plugin' && this.folders.has(folder)) {
      fault('is a folder', 'Name the files of the plugins in it.');
    } else if (kind === 'base' && this.isKustomization(folder)) {
      return [folder];
    } else if (kind === 'base' && !file && this.folders.has(folder)) {
      fault('has no Kustomization in it', 'Name the files in it one by one.');
    } else if (!file) {
      fault('is not part of the import', ARCHIVE_REMEDY);
    } else if (!isInFolder(found, origin.folder)) {
      fault('lies outside of the folder of its Kustomization', 'Move it there, or make its folder a base.');
    } else if (kind === 'plugin') {
      const documents = await this.input.parse(file).catch((error: unknown) => this.faults.addFrom(error));
      const within = (document: LocatedDocument): InstructionOrigin => ({
        folder: origin.folder,
        fault: (...located) => this.faults.add(document.faultAt(...located)),
      });
      this.accept(found, await this.plugins(documents, within));
    } else {
      this.accepted.set(found, this.accepted.get(found) ?? file);
    }
    return [];
  }

  /** Generators, transformers and validators, each a builtin with fields of its own. */
  private async plugins(
    documents: readonly LocatedDocument[],
    originOf: (document: LocatedDocument) => InstructionOrigin,
  ): Promise<string> {
    const understood: Json[] = [];
    for (const document of documents) {
      const origin = originOf(document);
      const { apiVersion, kind, metadata } = document.object ?? {};
      const name = asText(kind);
      const fields = apiVersion === 'builtin' ? BUILTIN_FIELDS.get(name) : undefined;
      if (Object.keys(asObject(asObject(metadata)['annotations'])).some((key) => FUNCTION.test(key))) {
        origin.fault('/metadata/annotations', 'would run a function, which is off', 'Use a builtin of kustomize.');
      } else if (fields) {
        understood.push(await this.checkInstructions(document.value, fields, name, origin));
      } else if (CHART_FIELDS.has(name)) {
        origin.fault('/kind', `${name} would fetch and run charts, which is off`, CHART_REMEDY);
      } else {
        const detail = `${name.slice(0, 100) || 'this'} is not an accepted builtin, and plugins are off`;
        origin.fault('/kind', detail, `Use apiVersion "builtin" and one of ${[...BUILTIN_FIELDS.keys()].join(', ')}.`);
      }
    }
    return joined(understood);
  }

  private accept(path: string, text: string): void {
    const name = this.input.files.get(path)?.path ?? path;
    this.accepted.set(path, { path: name, bytes: Buffer.from(text) });
  }
}

function joined(values: readonly Json[]): string {
  return values.map((value) => stringifyExact(value)).join('\n---\n');
}

/** Replaces an existing member or item with text. */
function replace(value: Json, pointer: string, text: string): void {
  const segments = parsePointer(pointer);
  const last = segments.pop();
  let parent = value as Record<string, Json>;
  for (const segment of segments) parent = parent[segment] as Record<string, Json>;
  if (last !== undefined) parent[last] = text;
}
